import { beforeAll, describe, expect, test, vi, afterEach } from 'vitest';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { definitionOf, readyToFind } from '../../src/workbench/matrix/run-as.ts';
import type { HookInput } from '../../src/core/protocol/input.ts';

type Variables = Readonly<Record<string, string>>;

beforeAll(() => Promise.all(knownDialects.map((dialect) => readyToFind(dialect, '/'))));
afterEach(() => void vi.unstubAllEnvs());

/** The variables that a host gives its hooks, apart from those of its own environment. */
function variablesOf(name: string, event: string, fields: object = {}): Variables {
  const dialect = knownDialects.find((one) => one.name === name)!;
  const at = dialect.events[event]!;
  const hook = definitionOf(dialect, event, at, { command: 'x', name: 'x', timeout: 1 });
  const base: HookInput = {
    session_id: 's1',
    transcript_path: '',
    cwd: '/project',
    hook_event_name: at,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  return dialect.environment(hook, { ...base, ...fields });
}

/** By dialect and variable: the field that tells its value, and the value. */
const known: readonly (readonly [
  name: string,
  event: string,
  variable: string,
  field: object,
  value: string,
])[] = [
  ['cursor', 'preToolUse', 'CURSOR_VERSION', { cursor_version: '3.1' }, '3.1'],
  ['cursor', 'preToolUse', 'CURSOR_USER_EMAIL', { user_email: 'a@b.c' }, 'a@b.c'],
  ['cursor', 'preToolUse', 'CURSOR_TRANSCRIPT_PATH', { transcript_path: '/t' }, '/t'],
  ['qwen-code', 'PreToolUse', 'QWEN_CODE_PROMPT_ID', { prompt_id: 'p1' }, 'p1'],
  ['claude-code', 'PreToolUse', 'CLAUDE_EFFORT', { effort: { level: 'high' } }, 'high'],
];

describe('the environment of a hook', () => {
  test.each(known)(
    'of %s at %s has %s if the event tells it, and otherwise no empty one',
    (name, event, variable, field, value) => {
      vi.stubEnv(variable, undefined);
      expect(variablesOf(name, event, field)[variable]).toBe(value);
      expect(variablesOf(name, event)).not.toHaveProperty(variable);
      const nothing = Object.fromEntries(Object.keys(field).map((key) => [key, null]));
      expect(variablesOf(name, event, { transcript_path: '', ...nothing })).not.toHaveProperty(
        variable,
      );
    },
  );

  test.each([
    ['cursor', 'preToolUse', 'CURSOR_VERSION'],
    ['cursor', 'preToolUse', 'CURSOR_USER_EMAIL'],
    ['cursor', 'preToolUse', 'CURSOR_TRANSCRIPT_PATH'],
    ['claude-code', 'PreToolUse', 'CLAUDE_CODE_ENTRYPOINT'],
  ])('of %s at %s has the %s that our own environment has', (name, event, variable) => {
    vi.stubEnv(variable, 'theirs');
    expect(variablesOf(name, event)[variable]).toBe('theirs');
  });

  test('of Gemini CLI has the folder for plans that its session has', () => {
    vi.stubEnv('GEMINI_PLANS_DIR', '/plans');
    expect(variablesOf('gemini-cli', 'BeforeTool')['GEMINI_PLANS_DIR']).toMatch(/s1\/plans$/);
    vi.stubEnv('GEMINI_SESSION_ID', 's1');
    expect(variablesOf('gemini-cli', 'BeforeTool')['GEMINI_PLANS_DIR']).toBe('/plans');
  });

  test.each(knownDialects)('of $name holds no empty variable at any event', ({ name, events }) => {
    for (const variable of ['CURSOR_VERSION', 'CLAUDE_CODE_ENTRYPOINT', 'GEMINI_PLANS_DIR'])
      vi.stubEnv(variable, '');
    for (const event of Object.keys(events))
      expect(Object.values(variablesOf(name, event))).not.toContain('');
  });
});
