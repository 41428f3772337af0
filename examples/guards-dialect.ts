import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { llxprt, type Dialect, type HookDefinition } from '../src/entries/dialects.ts';

/**
 * A dialect in under fifty lines: before a tool runs, every program in `.guards/` is asked, and denies with exit
 * code 2.
 */
export const guards: Dialect = {
  name: 'guards',
  family: 'guards',
  events: { guard: 'BeforeTool' },
  needsSwitch: false,
  guarded: ['.guards/'],
  mayBeIn: (cwd) => existsSync(join(cwd, '.guards')),
  find: ({ cwd, ignoresProject }) => ({
    definitions: ignoresProject ? [] : readdirSync(join(cwd, '.guards')).map(guardOf(cwd)),
    problems: [],
    unasked: [],
  }),
  identity: ({ name }) => name,
  matcherOf: () => undefined,
  compileMatcher: () => () => true,
  mode: () => 'parallel',
  environment: () => ({}),
  stdin: (_, { tool_name: tool, tool_input: input }) => ({ tool, input }),
  read: (hook, outcome, payload) => llxprt.read(hook, outcome, payload),
  readCall: (_, { tool, input }) =>
    llxprt.readCall('BeforeTool', { tool_name: tool, tool_input: input }),
  reportCall: () => ({}),
};

const guardOf =
  (cwd: string) =>
  (name: string): HookDefinition => ({
    event: 'BeforeTool',
    type: 'command',
    command: join(cwd, '.guards', name),
    args: [],
    name,
    timeout: 5_000,
    sequential: false,
    source: 'project',
    place: '',
    env: {},
  });
