import type { Host } from '../../core/dialects/dialect.ts';
import { opencode } from '../opencode/index.ts';
import { fromRoom } from '../parts/host-room.ts';

/** Kilo, which is made from OpenCode: the same plugin calls the relay, in other folders. */
export const kilo: Host = {
  ...opencode,
  name: 'kilo',
  ...fromRoom({
    call: () => import('../opencode/call.ts'),
    speak: () => import('./speak.ts'),
    install: () => import('./install.ts'),
  }),
};
