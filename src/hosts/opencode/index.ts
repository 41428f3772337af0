import type { Host } from '../../core/dialects/dialect.ts';

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
  readCall: async (...call) => (await import('./call.ts')).readCall(...call),
  reportCall: async (result) => (await import('./call.ts')).reportCall(result),
  speak: async () => (await import('./speak.ts')).speaker,
  install: async () => (await import('./install.ts')).installation,
};
