import { environment } from '../../base/surroundings.ts';

/**
 * The variable with which `doctor --live` starts an agent: a call that names its value is denied, whichever
 * hooks there are.
 */
export const canaryVariable = 'HOOKMACHINE_CANARY';

/** What the model reads of the denial. */
export const canaryReason =
  'denied by hookmachine doctor --live, so the guards of this agent are on';

/** Why a call is denied because it is a canary; undefined for any other. */
export function canaryDenial(given: Readonly<Record<string, unknown>>): string | undefined {
  const token = environment()[canaryVariable];
  return token !== undefined && token.length > 30 && JSON.stringify(given).includes(token)
    ? canaryReason
    : undefined;
}
