import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import { isRecord } from '../../base/json.ts';
import { outcomeOf, wishesIn, type Wish } from './outcome.ts';
import { definitionOf, type Trial } from './run-as.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One way to say something: JSON on stdout, or an exit status with a text on stderr. */
export interface Way {
  /** For the script's author. */
  readonly words: string;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Form = (event: string, args: unknown) => Fields;

const specific =
  (fields: (args: unknown) => Fields): Form =>
  (event, args) => ({ hookSpecificOutput: { hookEventName: event, ...fields(args) } });

const why = '…';

/** The objects with which hooks say what they want; those that most hosts read come first. */
const forms: Readonly<Record<Wish, readonly Form[]>> = {
  deny: [
    () => ({ decision: 'deny', reason: why }),
    () => ({ decision: 'block', reason: why }),
    specific(() => ({ permissionDecision: 'deny', permissionDecisionReason: why })),
    specific(() => ({ decision: { behavior: 'deny', message: why } })),
    () => ({ permissionDecision: 'deny', permissionDecisionReason: why }),
    () => ({ behavior: 'deny', message: why }),
    () => ({ permission: 'deny', user_message: why }),
    () => ({ continue: false, user_message: why }),
    () => ({ continue: false, stopReason: why }),
    () => ({ blocked: true, reason: why }),
  ],
  ask: [
    () => ({ decision: 'ask', reason: why }),
    specific(() => ({ permissionDecision: 'ask', permissionDecisionReason: why })),
    () => ({ permissionDecision: 'ask', permissionDecisionReason: why }),
    () => ({ permission: 'ask', user_message: why }),
  ],
  defer: [
    specific(() => ({ permissionDecision: 'defer', permissionDecisionReason: why })),
    () => ({ decision: 'defer', reason: why }),
  ],
  stop: [() => ({ continue: false, stopReason: why })],
  change: [
    specific((args) => ({ permissionDecision: 'allow', updatedInput: args })),
    specific((args) => ({ decision: { behavior: 'allow', updatedInput: args } })),
    specific((args) => ({ tool_input: args })),
    (_, args) => ({ modifiedArgs: args }),
    (_, args) => ({ permission: 'allow', updated_input: args }),
    (_, args) => ({ input: args }),
  ],
  context: [
    specific(() => ({ additionalContext: why })),
    () => ({ additionalContext: why }),
    () => ({ additional_context: why }),
  ],
  'follow-up': [
    () => ({ decision: 'block', reason: why }),
    () => ({ followup_message: why }),
    () => ({ follow_up_messages: [why] }),
  ],
};

const stderrAnd2: Way = {
  words: 'print the reason on stderr and exit with 2',
  exitCode: 2,
  stdout: '',
  stderr: why,
};

/**
 * The ways to say something at an event of this name; `args` are a call's arguments in the host's own form.
 */
function waysTo(wish: Wish, event: string, args: unknown): readonly Way[] {
  const printed = forms[wish].map((form): Way => {
    const shown = JSON.stringify(form(event, { why }), null, 1).replaceAll(/\n\s*/g, ' ');
    return {
      words: `print ${shown.replace(JSON.stringify({ why }, null, 1).replaceAll(/\n\s*/g, ' '), '{ … }')} and exit with 0`,
      exitCode: 0,
      stdout: JSON.stringify(form(event, args)),
      stderr: '',
    };
  });
  return wish === 'deny' ? [stderrAnd2, ...printed] : printed;
}

/** How a dialect's hooks can say something so that their own host obeys it; none if it has no way. */
export function obeyedWays(
  wish: Wish,
  dialect: Dialect,
  name: string,
  trial: Trial,
): readonly Way[] {
  const { event, fields, context, cwd } = trial;
  const hook = definitionOf(dialect, name, event, { command: '', name: '', timeout: 1 });
  const payload: HookPayload = {
    session_id: 'matrix',
    transcript_path: '',
    cwd,
    hook_event_name: event,
    timestamp: new Date(0).toISOString(),
    ...fields,
  };
  const given = dialect.stdin(hook, payload, context) as Fields;
  const args = [given['tool_input'], given['toolArgs'], given['toolInput']].find(isRecord) ?? {};
  return waysTo(wish, name, args).filter(({ exitCode, stdout, stderr }) => {
    const exit = { exitCode, stdout, stderr, signal: null, truncated: [], durationMs: 0 };
    const ended: HookProcessOutcome = { status: 'exited', exit, leftBackground: false };
    const answer = dialect.read(hook, ended, payload);
    if (answer.ignored) return false;
    const merge = dialect.merge ?? mergeEffects;
    const verdict = merge(event, [{ hook: 'matrix', answer }], payload);
    return wishesIn(outcomeOf(verdict, fields), event).has(wish);
  });
}
