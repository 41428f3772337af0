import type { Host } from '../../core/dialects/dialect.ts';
import { fromRoom } from '../parts/host-room.ts';

/** OpenCode, whose hooks are functions in plugins: a plugin file calls the relay; no scripts are found. */
export const opencode: Host = {
  name: 'opencode',
  family: 'opencode',
  events: {
    'tool.execute.before': 'BeforeTool',
    'tool.execute.after': 'AfterTool',
    'chat.message': 'BeforeAgent',
    'session.created': 'SessionStart',
    'session.idle': 'AfterAgent',
    'session.compacting': 'PreCompress',
  },
  plainDenial: (reason) => ({ deny: reason }),
  ...fromRoom({
    call: () => import('./call.ts'),
    speak: () => import('./speak.ts'),
    install: () => import('./install.ts'),
  }),
};
