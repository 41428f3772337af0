import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../src/core/answers/answer.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { definitionOf, readyToFind } from '../../src/workbench/matrix/run-as.ts';
import { exited } from '../support/answers.ts';

/*
 * What each event's hooks can do with text on stdout, with exit 2 and with a context field, as measured on the
 * hosts.
 */

/** `c`: text on stdout is the model's context. `2`: exit 2 with a reason denies. `a`: additional context counts. */
const powers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': {
    PreToolUse: '2a',
    PermissionRequest: 'a',
    PostToolUse: '2a',
    PostToolUseFailure: '2a',
    UserPromptSubmit: 'c2a',
    // Context makes the agent continue, so it denies.
    Stop: '2',
    SubagentStart: 'a',
    SubagentStop: '2',
    SessionStart: 'ca',
    SessionEnd: 'a',
    PreCompact: 'c2a',
    PostCompact: 'a',
    Notification: 'a',
    PostToolBatch: '2a',
  },
  'gemini-cli': {
    BeforeTool: '2',
    AfterTool: '2a',
    BeforeAgent: '2a',
    AfterAgent: '2',
    BeforeModel: '2',
    AfterModel: '2',
    SessionStart: 'a',
    SessionEnd: '',
    PreCompress: '',
    Notification: '',
  },
  'qwen-code': {
    PreToolUse: '2',
    PermissionRequest: '',
    PostToolUse: '2a',
    PostToolUseFailure: '2a',
    UserPromptSubmit: 'c2a',
    Stop: '2',
    SubagentStart: 'a',
    SubagentStop: '2',
    SessionStart: 'ca',
    SessionEnd: '',
    Notification: '',
    PostToolBatch: '2a',
  },
  codex: {
    PreToolUse: '2a',
    PermissionRequest: '2',
    PostToolUse: '2a',
    UserPromptSubmit: 'c2a',
    Stop: '2',
    SubagentStart: 'ca',
    SubagentStop: '2',
    SessionStart: 'ca',
    SessionEnd: '',
    PreCompact: '',
    PostCompact: '',
    Interrupt: '',
  },
  copilot: {
    preToolUse: '2a',
    PreToolUse: '2a',
    permissionRequest: '2',
    postToolUse: 'a',
    postToolUseFailure: 'a',
    userPromptSubmitted: 'a',
    agentStop: '',
    subagentStart: 'a',
    subagentStop: '',
    sessionStart: 'a',
    sessionEnd: '',
    preCompact: '',
    notification: 'a',
  },
  cursor: {
    preToolUse: '2',
    beforeShellExecution: '2',
    beforeReadFile: '2',
    postToolUse: 'a',
    postToolUseFailure: '',
    afterShellExecution: '',
    afterFileEdit: '',
    beforeSubmitPrompt: '2a',
    stop: '',
    subagentStart: '2',
    subagentStop: '',
    sessionStart: 'a',
    sessionEnd: '',
    preCompact: '',
  },
};

beforeAll(() => Promise.all(knownDialects.map((dialect) => readyToFind(dialect, '/'))));

const tells = ({ effects }: Answer): boolean => effects.some(({ kind }) => kind === 'context');

test.each(
  Object.entries(powers).flatMap(([name, events]) =>
    Object.entries(events).map(([event, can]) => ({ name, event, can })),
  ),
)('of $name at $event, hooks can do "$can" with text, exit 2 and context', (row) => {
  const dialect = knownDialects.find(({ name }) => name === row.name)!;
  const at = dialect.events[row.event]!;
  const hook = definitionOf(dialect, row.event, at, { command: 'x', name: 'x', timeout: 1 });
  const payload = {
    session_id: 's',
    cwd: '/',
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
    tool_response: { llmContent: 'x', returnDisplay: 'x' },
    prompt: 'x',
  };
  const read = (exit: Parameters<typeof exited>[0]): Answer =>
    dialect.read(hook, exited(exit), payload);
  const given =
    row.name === 'cursor'
      ? { additional_context: 'a hint' }
      : row.name === 'copilot'
        ? { additionalContext: 'a hint' }
        : { hookSpecificOutput: { hookEventName: row.event, additionalContext: 'a hint' } };
  const found = [
    tells(read({ stdout: 'a hint\n' })) && 'c',
    read({ exitCode: 2, stderr: 'because' }).decision === 'deny' && '2',
    tells(read({ stdout: JSON.stringify(given) })) && 'a',
  ];
  expect(found.filter(Boolean).join('')).toBe(row.can);
});
