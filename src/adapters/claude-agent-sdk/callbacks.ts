import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import type { CallKeeper } from '../../core/calls/call-keeper.ts';
import type { ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import type { EndedToolCall, ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn, warnPlainly } from '../../base/log.ts';
import { defined } from '../../base/json.ts';
import type { ToolResult } from '../../core/protocol/tool-result.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { DurableCalls } from '../parts/durable-calls.ts';
import { fireEvent } from '../parts/fire-event.ts';
import { asInput } from '../parts/run-tool.ts';
import { type AdapterOptions, tooManyRounds } from '../parts/options.ts';
import type { OpenCalls } from '../parts/open-calls.ts';
import type { CallbackMatcher, HookCallback, HookInput } from './types.ts';
import { blockReasonOf, stopReasonOf, wishesOf } from '../../core/answers/reasons.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One query of the Agent SDK: what its callbacks and its messages share. */
export interface QueryState {
  readonly config: HookSystemConfig;
  readonly options: AdapterOptions;
  readonly calls: OpenCalls;
  /** How its session begins. */
  readonly source: 'startup' | 'resume';
  /** The session's id, once a prompt has begun it. */
  sessionId?: string;
  /** The user's last prompt. */
  prompt?: string;
  /** How often hooks have made the agent continue in this turn. */
  rounds: number;
  /** The call that the query ends with, to be continued once somebody has answered. There can be only one. */
  deferred?: string;
  /** Why a hook stopped it; the SDK does not report that. */
  stopReason?: string;
}

/** Longer than any of our own deadlines, in seconds: a callback that times out blocks. */
const timeout = 86_400;

/** The callbacks of a query, one for each event of the SDK. */
export function callbacksFor(query: QueryState): Readonly<Record<string, CallbackMatcher>> {
  const matcher = (answer: Answer): CallbackMatcher => ({
    hooks: [
      ((input: HookInput & Fields, _: string | undefined, { signal }: { signal: AbortSignal }) =>
        answer(query, input, signal)) as unknown as HookCallback,
    ],
    timeout,
    // Otherwise a failure here would let the call pass.
    onFailure: 'block',
  });
  return Object.fromEntries(Object.entries(answers).map(([event, say]) => [event, matcher(say)]));
}

type Answer = (
  query: QueryState,
  input: HookInput & Fields,
  signal: AbortSignal,
) => Promise<Fields>;

const contextOf = ({ session_id, transcript_path, cwd, agent_id }: HookInput): EventContext => ({
  sessionId: session_id,
  transcriptPath: transcript_path,
  cwd,
  ...(agent_id !== undefined && { invokedBy: 'subagent' }),
});

const answers: Readonly<Record<string, Answer>> = {
  async PreToolUse(query, input, signal) {
    const { tool_name: tool, tool_input: given, tool_use_id: id } = input;
    const { alias = {} } = query.options.tools ?? {};
    const name = alias[String(tool)] ?? String(tool);
    const request = { id: String(id), name, input: asInput(given) };
    const context = { ...contextOf(input), signal };
    const verdict = query.options.durable
      ? await keptVerdict(query, query.options.durable, request, context)
      : await query.calls.begin(request, context);
    return permission(query, verdict, given, String(tool));
  },
  PostToolUse: async (query, input) => {
    const call = await query.calls.take(text(input['tool_use_id']));
    const given = input['tool_response'];
    const ended = await call?.succeed(resultOf(given));
    return ended ? afterTool(query, 'PostToolUse', ended, given) : {};
  },
  PostToolUseFailure: async (query, input) => {
    const call = await query.calls.take(text(input['tool_use_id']));
    const ended = await call?.fail(new Error(text(input['error'])));
    return ended ? afterTool(query, 'PostToolUseFailure', ended, undefined) : {};
  },
  async UserPromptSubmit(query, input, signal) {
    const context = contextOf(input);
    const began = await beginSession(query, context);
    const prompt = text(input['prompt']);
    query.prompt = prompt;
    query.rounds = 0;
    const result = await fireEvent(query.config, 'BeforeAgent', { prompt }, { ...context, signal });
    const verdict = result?.verdict;
    report(query, result);
    const denial =
      verdict?.decision === 'deny' ? { reason: blockReasonOf('BeforeAgent', verdict) } : undefined;
    if (denial) query.options.onBlocked?.(denial);
    const contexts = [
      began?.verdict.context,
      verdict?.context,
      began?.verdict.message,
      verdict?.message,
    ].filter((text) => text !== undefined);
    return {
      ...(denial && { decision: 'block', ...denial }),
      ...stopOf(query, verdict?.stop ? stopReasonOf(verdict) : undefined),
      ...(contexts.length > 0 && {
        hookSpecificOutput: {
          hookEventName: 'UserPromptSubmit',
          additionalContext: contexts.join('\n\n'),
        },
      }),
    };
  },
  async Stop(query, input, signal) {
    const fields = {
      prompt: query.prompt ?? '',
      prompt_response: text(input['last_assistant_message']),
      stop_hook_active: input['stop_hook_active'] === true,
    };
    const result = await fireEvent(query.config, 'AfterAgent', fields, {
      ...contextOf(input),
      signal,
    });
    report(query, result);
    const verdict = result?.verdict;
    if (verdict?.stop) return stopOf(query, stopReasonOf(verdict));
    const wishes = verdict ? wishesOf(verdict) : [];
    if (wishes.length === 0) return {};
    const { maxRejections = defaultMaxRejections } = query.options;
    if (query.rounds >= maxRejections) {
      warnPlainly(query.config.onWarning, tooManyRounds(maxRejections));
      return {};
    }
    query.rounds += 1;
    return { decision: 'block', reason: wishes.join('\n\n') };
  },
  async PreCompact(query, input, signal) {
    const trigger = input['trigger'] === 'manual' ? 'manual' : 'auto';
    const context = { ...contextOf(input), subject: trigger, signal };
    report(query, await fireEvent(query.config, 'PreCompress', { trigger }, context));
    return {};
  },
  async Notification(query, input, signal) {
    const type = text(input['notification_type']);
    const fields = {
      notification_type: type,
      message: text(input['message']),
      details: {},
    };
    const context = { ...contextOf(input), subject: type, signal };
    report(query, await fireEvent(query.config, 'Notification', fields, context));
    return {};
  },
};

/** Fires SessionStart with the first prompt: the SDK's own callback never fires. */
async function beginSession(
  query: QueryState,
  context: EventContext,
): Promise<AggregatedHookResult | undefined> {
  if (query.sessionId !== undefined) return undefined;
  query.sessionId = context.sessionId ?? '';
  const { config, source } = query;
  const result = await fireEvent(
    config,
    'SessionStart',
    { source },
    { ...context, subject: source },
  );
  report(query, result);
  return result;
}

/**
 * What is decided about a kept call: if nobody has answered yet, the query ends, and asks again when it is
 * resumed.
 */
async function keptVerdict(
  query: QueryState,
  durable: CallKeeper,
  request: ToolCallRequest,
  context: EventContext & { readonly signal: AbortSignal },
): Promise<ToolCallVerdict> {
  const { options, calls, source } = query;
  const { id } = request;
  const kept = new DurableCalls(durable, options.onSuspended);
  const call = kept.open(request, { ...context, sessionId: context.sessionId ?? '' });
  let verdict = await call.verdict;
  // Claude would give up a call that is deferred again.
  if (verdict.status === 'asked' && source === 'resume') verdict = await call.answer(true, { wait: true }); // prettier-ignore
  if (verdict.status === 'asked' && query.deferred !== undefined)
    verdict = { status: 'ended', call: await call.cancel(oneAtATime) };
  else if (verdict.status === 'asked') query.deferred = id;
  else if (verdict.status === 'allowed') verdict = await call.begin();
  calls.keep(id, call, verdict);
  return verdict;
}

const oneAtATime =
  'Another call of this answer is already waiting for its user, and only one can wait: make this call again later.';

/** Never an approval: it would skip the user's own permission prompts. */
function permission(
  query: QueryState,
  verdict: ToolCallVerdict,
  given: unknown,
  tool: string,
): Fields {
  const specific = (fields: Fields): Fields => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields },
  });
  if (verdict.status === 'ended') {
    const { plainResult, appended, stop, outcome, notice } = verdict.call;
    const why = outcome.status === 'done' ? ranBefore(plainResult) : 'Blocked by hook';
    const reason = `${plainResult.error?.message ?? why}${appended.join('')}`;
    if (notice !== undefined) tellUser(query, notice);
    if (outcome.status === 'blocked') query.options.onBlocked?.({ tool, reason });
    return {
      // A stop alone would let the call run.
      ...specific({ permissionDecision: 'deny', permissionDecisionReason: reason }),
      ...stopOf(query, stop?.reason),
    };
  }
  const changes = verdict.toolInput === given ? {} : { updatedInput: verdict.toolInput };
  if (verdict.status === 'asked')
    return specific({
      permissionDecision: query.options.durable ? 'defer' : 'ask',
      ...defined({ permissionDecisionReason: verdict.reason }),
      ...changes,
    });
  return Object.keys(changes).length > 0 ? specific(changes) : {};
}

/**
 * What the model reads for a kept call that ran before its query ended: Claude makes the call again, but it
 * runs once.
 */
const ranBefore = ({ llmContent }: ToolResult): string =>
  `It already ran and returned: ${textOf(llmContent)}`;

function afterTool(
  query: QueryState,
  hookEventName: string,
  { appended, plainResult, stop, notice, toolResult }: EndedToolCall,
  given: unknown,
): Fields {
  if (notice !== undefined) tellUser(query, notice);
  const content: unknown = plainResult.llmContent;
  const isReplaced = hookEventName === 'PostToolUse' && content !== resultOf(given).llmContent;
  // A result of another form than the tool's own would be dropped silently.
  const fits = typeof content === typeof given && Array.isArray(content) === Array.isArray(given);
  if (isReplaced && !fits)
    warnPlainly(
      query.config.onWarning,
      'AfterTool: a hook replaced a tool’s result with one of another form, which Claude would drop; the model reads it in addition to the tool’s own',
    );
  const texts = isReplaced && !fits ? [textOf(content), ...appended] : appended;
  const specific = defined({
    updatedToolOutput: isReplaced && fits ? content : undefined,
    additionalContext: texts.length > 0 ? texts.join('').trim() : undefined,
  });
  return {
    ...(toolResult.suppressDisplay && { suppressOutput: true }),
    ...stopOf(query, stop?.reason),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName, ...specific } }),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** A tool's output for hooks: a text, or the object itself. */
function resultOf(given: unknown): ToolResult {
  const content = typeof given === 'object' && given !== null ? given : text(given);
  return { llmContent: content as ToolResult['llmContent'], returnDisplay: '' };
}

function stopOf(query: QueryState, reason: string | undefined): Fields {
  if (reason === undefined) return {};
  query.stopReason = reason;
  query.options.onStop?.(reason);
  return { continue: false, stopReason: reason };
}

function report(query: QueryState, result: AggregatedHookResult | undefined): void {
  if (result?.verdict.notice !== undefined) tellUser(query, result.verdict.notice);
}

function tellUser({ options, config }: QueryState, notice: string): void {
  if (options.onNotice) options.onNotice(notice);
  else warn(config.onWarning, notice);
}
