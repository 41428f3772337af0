import { isForbidden } from './forbidden.ts';
import { environment } from '../../base/surroundings.ts';

/**
 * Whether the user or their environment lets all hooks run; no settings can do that, but an administrator's
 * can forbid it.
 */
export const trustsAll = (trust: boolean | undefined): boolean =>
  (trust === true && !isForbidden('--trust')) ||
  (['1', 'true'].includes(environment()['HOOKMACHINE_TRUST'] ?? '') &&
    !isForbidden('HOOKMACHINE_TRUST'));
