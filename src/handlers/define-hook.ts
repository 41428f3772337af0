import type { HookEventName } from '../core/protocol/events.ts';
import type { HookEventFields, HookInput } from '../core/protocol/input.ts';
import type { HookOutput } from '../core/protocol/output.ts';

/** The input that a hook of an event receives. */
export type HookEventInput<Event extends HookEventName> = HookInput & HookEventFields[Event];

/** What a hook may answer with: an object as a command would print it, several of them, or nothing. */
export type HookReply = HookOutput | readonly HookOutput[] | undefined | null | void;

/** What a hook can do besides reading its event. */
export interface HookHelpers {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Prevents what is about to happen; the model receives the reason. */
  readonly deny: (reason: string) => HookOutput;
  /** Leaves the decision to the user. */
  readonly ask: (reason: string) => HookOutput;
  /** Approves what is about to happen. */
  readonly allow: (reason?: string) => HookOutput;
  /** Makes the tool run with these arguments. */
  readonly rewrite: (toolInput: Readonly<Record<string, unknown>>) => HookOutput;
  /** Gives the model additional context. */
  readonly addContext: (text: string) => HookOutput;
  /** Stops the agent. */
  readonly stop: (reason: string) => HookOutput;
}

/** A defined hook: what a module exports, what `call` of a function hook accepts, and what a test calls. */
export type DefinedHook<Event extends HookEventName> = (
  input: Partial<HookInput> & HookEventFields[Event],
  options?: { readonly signal?: AbortSignal },
) => Promise<HookOutput | undefined>;

/**
 * Defines a hook for one event, with typed input and helpers for its answers.
 *
 * @example
 * export default defineHook('BeforeTool', ({ tool_name, tool_input }, { deny }) =>
 *   tool_name === 'run_shell_command' && `${tool_input.command}`.includes('rm -rf')
 *     ? deny('Move it to the trash instead.')
 *     : undefined,
 * );
 */
export function defineHook<Event extends HookEventName>(
  event: Event,
  hook: (input: HookEventInput<Event>, helpers: HookHelpers) => HookReply | Promise<HookReply>,
): DefinedHook<Event> {
  const specific = (fields: object): HookOutput => ({
    hookSpecificOutput: { hookEventName: event, ...fields },
  });
  const helpers = {
    deny: (reason: string) => ({ decision: 'deny', reason }),
    ask: (reason: string) => ({ decision: 'ask', reason }),
    allow: (reason?: string) => ({ decision: 'allow', ...(reason !== undefined && { reason }) }),
    rewrite: (toolInput: object) => specific({ tool_input: toolInput }),
    addContext: (text: string) => specific({ additionalContext: text }),
    stop: (reason: string) => ({ continue: false, stopReason: reason }),
  } satisfies Omit<HookHelpers, 'signal'>;
  return async (input, { signal = new AbortController().signal } = {}) => {
    const { hook_event_name: fired = event } = input;
    if (fired !== event)
      throw new Error(`this hook is for ${event}, and was called for ${fired}; fix the settings`);
    const reply = await hook(input as HookEventInput<Event>, { ...helpers, signal });
    return Array.isArray(reply)
      ? together(reply as HookOutput[])
      : ((reply as HookOutput) ?? undefined);
  };
}

/** Merges several answers into one; if there are two decisions, neither may get lost. */
function together(answers: readonly HookOutput[]): HookOutput {
  if (answers.filter(({ decision }) => decision !== undefined).length > 1)
    throw new Error('it answered with several decisions; return one of them');
  const specific = answers.flatMap(({ hookSpecificOutput }) => hookSpecificOutput ?? []);
  return {
    ...Object.assign({}, ...answers),
    ...(specific.length > 0 && { hookSpecificOutput: Object.assign({}, ...specific) }),
  } as HookOutput;
}
