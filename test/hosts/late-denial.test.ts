import { beforeAll, describe, expect, test } from 'vitest';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Answer } from '../../src/core/answers/answer.ts';
import { claudeCode } from '../../src/hosts/claude-code/index.ts';
import { codex } from '../../src/hosts/codex/index.ts';
import { copilot } from '../../src/hosts/copilot/index.ts';
import { cursor } from '../../src/hosts/cursor/index.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { geminiCli } from '../../src/hosts/gemini-cli/index.ts';
import { hookmachine } from '../../src/hosts/hookmachine/index.ts';
import { kodelet, kodeletStrict } from '../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { qwenCode } from '../../src/hosts/qwen-code/index.ts';
import { HookSystem } from '../../src/hosts/system/hook-system.ts';
import { definitionOf, readyToFind } from '../../src/workbench/matrix/run-as.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { exited } from '../support/answers.ts';
import { quoted } from '../support/session.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** An event by its native name, and what a hook printed before it hung. */
type Case = readonly [event: string, printed: string | object];

const nested = (event: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});
const permission = (word: string): object =>
  nested('PreToolUse', { permissionDecision: word, permissionDecisionReason: 'not here' });
const block = { decision: 'block', reason: 'not here' };
const deny = { decision: 'deny', reason: 'not here' };
const copilotDeny = { permissionDecision: 'deny', permissionDecisionReason: 'not here' };
const behavior = nested('PermissionRequest', {
  decision: { behavior: 'deny', message: 'not here' },
});

const dialects: readonly {
  readonly dialect: Dialect;
  readonly denies: readonly Case[];
  readonly doesNot: readonly Case[];
}[] = [
  {
    dialect: hookmachine,
    denies: [
      ['BeforeTool', deny],
      ['BeforeTool', block],
      ['BeforeTool', { continue: false, stopReason: 'not here' }],
      ['BeforeTool', nested('BeforeTool', { permissionDecision: 'deny' })],
      ['BeforeTool', `checking\n${JSON.stringify(deny)}`],
      ['BeforeAgent', deny],
      ['BeforeModel', deny],
      ['AfterTool', deny],
      ['AfterAgent', deny],
    ],
    doesNot: [
      ['BeforeTool', { decision: 'allow', reason: 'fine' }],
      ['BeforeTool', nested('BeforeTool', { tool_input: { command: 'true' } })],
      ['BeforeAgent', nested('BeforeAgent', { additionalContext: 'by the way' })],
    ],
  },
  {
    dialect: claudeCode,
    denies: [
      ['PreToolUse', permission('deny')],
      ['PreToolUse', block],
      ['PreToolUse', { continue: false, stopReason: 'not here' }],
      ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'DENY' } }],
      ['PermissionRequest', behavior],
      ['UserPromptSubmit', block],
      ['PostToolUse', block],
      ['Stop', block],
    ],
    doesNot: [
      ['PreToolUse', permission('allow')],
      ['PreToolUse', permission('ask')],
      ['PreToolUse', nested('PreToolUse', { updatedInput: { command: 'true' } })],
      ['PreToolUse', nested('PreToolUse', { updatedInput: {} })],
      ['UserPromptSubmit', 'by the way'],
    ],
  },
  {
    dialect: geminiCli,
    denies: [
      ['BeforeTool', deny],
      ['BeforeTool', block],
      ['BeforeTool', { continue: false, stopReason: 'not here' }],
      ['BeforeAgent', deny],
      ['BeforeModel', deny],
      ['AfterTool', deny],
    ],
    doesNot: [
      ['BeforeTool', nested('BeforeTool', { tool_input: { command: 'true' } })],
      ['BeforeTool', 'only a message'],
    ],
  },
  {
    dialect: qwenCode,
    denies: [
      ['PreToolUse', permission('deny')],
      ['PreToolUse', block],
      ['PreToolUse', { continue: false, stopReason: 'not here' }],
      ['PermissionRequest', behavior],
      ['UserPromptSubmit', block],
      ['Stop', block],
    ],
    doesNot: [
      ['PreToolUse', permission('allow')],
      ['UserPromptSubmit', 'by the way'],
    ],
  },
  {
    dialect: codex,
    denies: [
      ['PreToolUse', permission('deny')],
      ['PreToolUse', block],
      ['PermissionRequest', behavior],
      ['UserPromptSubmit', block],
      ['PostToolUse', block],
      ['Stop', block],
    ],
    doesNot: [
      ['PreToolUse', { hookSpecificOutput: { updatedInput: 5, permissionDecision: 'allow' } }],
      ['UserPromptSubmit', 'by the way'],
    ],
  },
  {
    dialect: copilot,
    denies: [
      ['preToolUse', copilotDeny],
      ['PreToolUse', permission('deny')],
      ['preToolUse', block],
      ['permissionRequest', { behavior: 'deny', message: 'not here' }],
      ['userPromptSubmitted', block],
      ['postToolUse', block],
      ['agentStop', block],
    ],
    doesNot: [
      ['preToolUse', { permissionDecision: 'allow' }],
      ['preToolUse', { modifiedArgs: {} }],
    ],
  },
  {
    dialect: cursor,
    denies: [
      ['preToolUse', { permission: 'deny', agent_message: 'not here' }],
      ['beforeShellExecution', { permission: 'deny', agent_message: 'not here' }],
      ['beforeSubmitPrompt', { continue: false, user_message: 'not here' }],
    ],
    doesNot: [
      ['preToolUse', { permission: 'allow' }],
      ['preToolUse', 'not JSON, which denies at this gate if the hook exits'],
      ['stop', { followup_message: 'more' }],
    ],
  },
  {
    dialect: llxprt,
    denies: [],
    doesNot: [
      ['BeforeTool', deny],
      ['BeforeTool', { continue: false }],
    ],
  },
  { dialect: kodelet, denies: [], doesNot: [['before_tool_call', { blocked: true }]] },
  { dialect: kodeletStrict, denies: [], doesNot: [['before_tool_call', { blocked: true }]] },
];

/** Long enough for every hook of a plan to have printed its answer on a busy machine. */
const timeout = 1_000;

const call = { tool_name: 'run_shell_command', tool_input: { command: 'rm x' } };
const fields: Partial<HookEventFields> = {
  BeforeTool: call,
  ToolPermission: call,
  AfterTool: { ...call, tool_response: { llmContent: '', returnDisplay: '' } },
  BeforeAgent: { prompt: 'hello' },
  BeforeModel: { llm_request: { model: 'm', messages: [] } },
  AfterAgent: { prompt: '', prompt_response: '', stop_hook_active: false },
};

/** Fires an event whose hooks all print something and hang, side by side. */
async function fire(
  dialect: Dialect,
  event: HookEventName,
  cases: readonly Case[],
): Promise<{ readonly result: AggregatedHookResult; readonly warnings: readonly string[] }> {
  const { settings: _, ...others } = dialect;
  const cwd = tempFolder();
  const warnings: string[] = [];
  const definitions = cases.map(([native, printed], index) => {
    const text = typeof printed === 'string' ? printed : JSON.stringify(printed);
    const command = `printf %s ${quoted(text)}; exec sleep 100`;
    const definition = definitionOf(dialect, native, event, { command, name: text, timeout });
    return { ...definition, place: `hooks.${index}` };
  });
  const system = new HookSystem({
    getEnableHooks: () => true,
    getHooks: () => undefined,
    getHookSources: () => [],
    getSessionId: () => 'late',
    getWorkingDir: () => cwd,
    onWarning: (line) => warnings.push(line),
    getDialects: () => [
      {
        ...others,
        needsSwitch: false,
        mayBeIn: () => true,
        mode: () => 'parallel',
        async find() {
          await readyToFind(dialect, cwd);
          return { definitions, problems: [], unasked: [] };
        },
      },
    ],
  });
  await system.initialize();
  const result = await system
    .getEventHandler()
    .fire(event, fields[event as keyof HookEventFields] as never, { canAsk: true });
  system.dispose();
  return { result, warnings };
}

/** The cases of each of our events. */
function byEvent({ events }: Dialect, cases: readonly Case[]): [HookEventName, Case[]][] {
  const grouped = new Map<HookEventName, Case[]>();
  for (const one of cases) {
    const event = events[one[0]]!;
    grouped.set(event, [...(grouped.get(event) ?? []), one]);
  }
  return [...grouped];
}

interface Came {
  readonly event: HookEventName;
  readonly count: number;
  readonly result: AggregatedHookResult;
  readonly warnings: readonly string[];
}

/** Returns what a hook's output means that timed out; nothing is started. */
function readLate(dialect: Dialect, [native, printed]: Case): Answer {
  const stdout = typeof printed === 'string' ? printed : JSON.stringify(printed);
  const event = dialect.events[native]!;
  const hook = definitionOf(dialect, native, event, { command: 'x', name: 'x', timeout });
  const exit = { exitCode: null, signal: 'SIGTERM', stdout, stderr: '', durationMs: 1 };
  return dialect.read(
    hook,
    { status: 'timedOut', timeout, exit: { ...exit, truncated: [] } },
    { session_id: 'late', cwd: '/', ...fields[event as keyof HookEventFields] },
  );
}

beforeAll(() => Promise.all(dialects.map(({ dialect }) => readyToFind(dialect, '/'))));

const deniers = dialects.filter(({ denies }) => denies.length > 0);

describe('a hook that ran into its deadline', () => {
  const came = new Map<Dialect, readonly Came[]>();

  // Everything hangs side by side, so that it takes little more than one timeout.
  beforeAll(() =>
    Promise.all(
      deniers.map(async ({ dialect, denies }) => {
        const fired = byEvent(dialect, denies).map(async ([event, own]) => ({
          event,
          count: own.length,
          ...(await fire(dialect, event, own)),
        }));
        came.set(dialect, await Promise.all(fired));
      }),
    ),
  );

  test.each(deniers)(
    'of $dialect.name denies if it had printed a whole denial before (S-32)',
    ({ dialect }) => {
      for (const { event, count, result, warnings } of came.get(dialect)!) {
        const { verdict, results, success } = result;
        for (const { hook, status, decision, stop, timedOut, exitCode, error } of results)
          expect([
            hook.name,
            status,
            decision === 'deny' || stop,
            timedOut,
            exitCode,
            error?.message,
          ]).toEqual([
            hook.name,
            'timedOut',
            true,
            true,
            null,
            `Hook timed out after ${timeout}ms`,
          ]);
        expect([event, results.length, verdict.decision, success]).toEqual([
          event,
          count,
          'deny',
          false,
        ]);
        const said = warnings.filter((line) => line.includes('before, which counts: Hook timed'));
        expect(said).toHaveLength(count);
      }
    },
  );

  test.each(dialects)(
    'of $dialect.name says nothing with any other answer, or with half a denial (HOOK-110)',
    ({ dialect, denies, doesNot }) => {
      const halves = denies.map(([event, printed]): Case => {
        const json = JSON.stringify(printed);
        return [event, json.slice(0, json.length / 2)];
      });
      for (const one of [...doesNot, ...halves]) {
        const { status, timedOut, decision, stop, effects, output } = readLate(dialect, one);
        expect([one, status, timedOut, decision, stop, effects, output]).toEqual([
          one,
          'timedOut',
          true,
          undefined,
          false,
          [],
          undefined,
        ]);
      }
    },
  );

  test('an abort drops a denial, as does a hook that could not be run', () => {
    const exit = {
      exitCode: null,
      signal: 'SIGTERM',
      stdout: JSON.stringify(deny),
      stderr: '',
      truncated: [],
      durationMs: 1,
    };
    const hook = definitionOf(hookmachine, 'BeforeTool', 'BeforeTool', {
      command: 'x',
      name: 'x',
      timeout,
    });
    const read = (outcome: HookProcessOutcome) => hookmachine.read(hook, outcome, {}).decision;
    expect(read({ status: 'cancelled', reason: 'the user left', exit })).toBeUndefined();
    expect(read({ status: 'failed', error: new Error('no input'), exit })).toBeUndefined();
  });
});

test.each(deniers.map(({ dialect, denies }) => ({ dialect, one: denies[0]! })))(
  'a whole denial of $dialect.name counts, whatever the hook printed after it until it was cut off',
  ({ dialect, one: [native, printed] }) => {
    const event = dialect.events[native]!;
    const hook = definitionOf(dialect, native, event, { command: 'x', name: 'x', timeout });
    const stdout = `${JSON.stringify(printed)}\n${'flood '.repeat(1_000)}`;
    const outcome = exited({ stdout, truncated: ['stdout'] });
    const answer = dialect.read(hook, outcome, { cwd: '/', ...call });
    expect([answer.status, answer.decision]).toEqual(['ok', 'deny']);
  },
);
