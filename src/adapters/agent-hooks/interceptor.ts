import { isRecord } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import type { EventWithFields } from '../../core/protocol/input.ts';
import { fireReport } from '../../hosts/relay/fire-report.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { AgentContext, Interceptor, Verdict } from './contract.ts';
import { invalidField } from './envelope.ts';
import { valueOf, withValue } from './tool-contexts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Takes an event through hooks. */
export type FireEvent = (
  event: EventWithFields[0],
  fields: EventWithFields[1],
  context: EventContext & { readonly canAsk: true },
) => Promise<AggregatedHookResult>;

/**
 * Makes the hooks of a config an interceptor of AGENT-HOOKS-0.1, for hosts of that standard: all dialects,
 * guards and policies judge its contexts.
 *
 * @throws (when it intercepts) an error for a context that the standard does not allow
 * @example
 * const interceptor = hookInterceptor(createConfig({ cwd: process.cwd() }));
 * const verdict = await interceptor.intercept(context);
 */
export const hookInterceptor = (config: HookSystemConfig): Interceptor => ({
  name: 'hookmachine',
  intercept: async (context) => {
    const system = config.getHookSystem();
    if (system === undefined) return { decision: 'allow' };
    await system.initialize();
    const handler = system.getEventHandler();
    return judgeContext(context, (event, fields, options) => handler.fire(event, fields, options)); // prettier-ignore
  },
});

/**
 * Judges a context by hooks.
 *
 * @throws an error that names the first field that makes the context invalid
 */
export async function judgeContext(context: AgentContext, fire: FireEvent): Promise<Verdict> {
  const invalid = invalidField(context);
  if (invalid !== undefined) throw new Error(`the context is invalid: "${invalid}" is missing or not what AGENT-HOOKS-0.1 says`); // prettier-ignore
  const [event, fields] = askedBy(context);
  const call = context['tool_call'] as { readonly id?: string } | undefined;
  const result = await fire(event, fields, {
    canAsk: true,
    sessionId: context.session.id,
    ...(call?.id !== undefined && { toolCallId: call.id }),
  });
  return verdictOf(context, await fireReport(event, fields, result, 0));
}

function askedBy(context: AgentContext): EventWithFields {
  const at = (key: string): Fields => context[key] as Fields;
  const tool = context['tool_call'] as { readonly name: string; readonly args: Fields };
  const call = { tool_name: tool?.name, tool_input: tool?.args };
  const request = {
    model: (context['model'] as Fields | undefined)?.['id'] as string,
    messages: messagesIn(context['messages']),
  };
  switch (context.interception_point) {
    case 'agent_startup':
      return ['SessionStart', { source: 'startup' }];
    case 'input':
      return ['BeforeAgent', { prompt: textOf(at('input')['content']) }];
    case 'pre_model_call':
      return ['BeforeModel', { llm_request: request as never }];
    case 'post_model_call': {
      const text = textOf(at('response')['content'] ?? '');
      const content = { role: 'model' as const, parts: [text] };
      const response = { text, candidates: [{ content, finishReason: 'STOP' }] };
      return ['AfterModel', { llm_request: request as never, llm_response: response as never }];
    }
    case 'pre_tool_call':
      return ['BeforeTool', call];
    case 'post_tool_call': {
      const { value, is_error: isError } = at('tool_result');
      const failed = isError ? { error: { message: textOf(value) } } : {};
      return ['AfterTool', { ...call, tool_response: { ...withValue({}, value), ...failed } }];
    }
    case 'output': {
      const said = textOf(at('output')['content']);
      return ['AfterAgent', { prompt: '', prompt_response: said, stop_hook_active: false }];
    }
    case 'agent_shutdown':
      return ['SessionEnd', { reason: 'exit' }];
  }
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

const messagesIn = (messages: unknown): object[] =>
  (Array.isArray(messages) ? messages : []).map((message: Fields) => ({
    role: message['role'],
    content: textOf(message['content'] ?? ''),
  }));

/** Returns what the standard has for what hooks decided. */
function verdictOf(context: AgentContext, report: Awaited<ReturnType<typeof fireReport>>): Verdict {
  const { decision, reason, stop, stopReason, systemMessage, additionalContext } = report;
  const warnings = [
    ...(systemMessage ? [{ reason: 'message', message: systemMessage }] : []),
    // The standard has no place for what the model should read besides.
    ...(additionalContext ? [{ reason: 'context', message: additionalContext }] : []),
    ...report.hooks.flatMap(
      ({ success, error, command }) =>
      success || error === undefined ? [] : [{ reason: 'hook_failed', message: `${command}: ${error}` }], // prettier-ignore
    ),
  ];
  const noted = warnings.length > 0 ? { warnings } : {};
  if (report.blocked || stop || decision === 'ask' || decision === 'defer') {
    const message = (report.blocked ? reason : stop ? stopReason : reason) ?? undefined;
    return {
      decision: 'deny',
      reason: report.blocked ? 'denied' : stop ? 'stopped' : decision === 'ask' ? 'asked' : 'deferred', // prettier-ignore
      ...(message !== undefined && { message }),
      // A person may answer what hooks only ask about.
      ...(!report.blocked && !stop && { approval: {} }),
      ...noted,
    };
  }
  const value = changedTarget(context, report);
  return value === undefined
    ? { decision: 'allow', ...noted }
    : { decision: 'transform', transform: { path: '$target', value }, ...noted };
}

function changedTarget(
  { interception_point: point, target }: AgentContext,
  { toolInput, toolOutput, llmRequest, llmResponse }: Awaited<ReturnType<typeof fireReport>>,
): unknown {
  switch (point) {
    case 'pre_tool_call':
      return toolInput ?? undefined;
    case 'post_tool_call':
      return toolOutput ? valueOf(toolOutput) : undefined;
    case 'pre_model_call': {
      const messages = isRecord(llmRequest) ? llmRequest['messages'] : undefined;
      const before = JSON.stringify(messagesIn(target));
      return messages === undefined || JSON.stringify(messages) === before ? undefined : messages;
    }
    case 'post_model_call': {
      const before = target as Fields;
      const content = llmResponse?.text ?? '';
      return llmResponse === null || content === (before['content'] ?? '')
        ? undefined
        : { ...before, content };
    }
    default:
      return undefined;
  }
}
