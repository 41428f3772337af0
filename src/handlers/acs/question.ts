import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import { acsVersion, type Envelope } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

const textContent = (value: unknown): readonly object[] => [{ type: 'text', value }];

/** What a Guardian is asked about an event: the step's method and its payload; undefined where it has no step. */
export function stepOf(
  event: Fields,
): { readonly method: string; readonly payload: Fields } | undefined {
  const tool = { name: event['tool_name'] };
  switch (event['hook_event_name']) {
    case 'BeforeTool':
    case 'ToolPermission':
      return {
        method: 'steps/toolCallRequest',
        payload: { tool, arguments: wrapped(event['tool_input']) },
      };
    case 'AfterTool':
    case 'ToolFailed': {
      const response = event['tool_response'];
      const failed = event['error'] !== undefined || (isRecord(response) && 'error' in response);
      const value = isRecord(response) ? response['llmContent'] : event['error'];
      return {
        method: 'steps/toolCallResult',
        payload: {
          tool,
          exit_status: failed ? 'failure' : 'success',
          outputs: value === undefined ? [] : [{ value }],
        },
      };
    }
    case 'BeforeAgent':
      return { method: 'steps/userMessage', payload: { content: textContent(event['prompt']) } };
    case 'AfterAgent':
      return {
        method: 'steps/agentResponse',
        payload: { content: textContent(event['prompt_response']) },
      };
    case 'SessionStart':
      return {
        method: 'steps/sessionStart',
        payload: { platform_context: { source: event['source'] } },
      };
    case 'SessionEnd':
      return { method: 'steps/sessionEnd', payload: { reason: endings[String(event['reason'])] ?? 'completed' } }; // prettier-ignore
    default:
      return undefined;
  }
}

const endings: Readonly<Record<string, string>> = {
  logout: 'abandoned',
  prompt_input_exit: 'abandoned',
};

const wrapped = (input: unknown): Fields =>
  isRecord(input)
    ? Object.fromEntries(Object.entries(input).map(([key, value]) => [key, { value }]))
    : {};

/** Returns the request for an event. */
export function requestFor(
  event: Fields,
  agent: string,
): (Envelope & { readonly params: Fields & { readonly request_id: string } }) | undefined {
  const step = stepOf(event);
  if (step === undefined) return undefined;
  return {
    jsonrpc: '2.0',
    id: randomUUID(),
    method: step.method,
    params: {
      acs_version: acsVersion,
      request_id: randomUUID(),
      timestamp: new Date().toISOString(),
      metadata: {
        agent_id: agent,
        session_id: event['session_id'],
        platform: 'hookmachine',
        ...(typeof event['cwd'] === 'string' && { cwd: event['cwd'] }),
      },
      payload: step.payload,
    },
  };
}

/** The steps that a Guardian may be asked about. */
const methods = [
  'toolCallRequest',
  'toolCallResult',
  'userMessage',
  'agentResponse',
  'sessionStart',
  'sessionEnd',
].map((name) => `steps/${name}`);

/** Returns the greeting that must come before a session's requests. */
export const helloFor = ({ params }: Envelope & { readonly params: Fields }): Envelope => ({
  jsonrpc: '2.0',
  id: randomUUID(),
  method: 'handshake/hello',
  params: {
    ...params,
    request_id: randomUUID(),
    payload: {
      acs_versions_supported: [acsVersion],
      methods_implemented: methods,
      transports_supported: ['http'],
      provenance_producer: 'none',
      profiles_supported: ['acs-core'],
    },
  },
});

/** What a Guardian's answer means for a hook's event: an answer in our own words, or why there is none. */
export function answerIn(
  result: Fields,
  event: Fields,
): { readonly output?: Fields; readonly fault?: string } {
  const { decision, reasoning, modifications } = result;
  const reason = typeof reasoning === 'string' && reasoning !== '' ? reasoning : 'The Guardian does not allow this.'; // prettier-ignore
  switch (decision) {
    case 'allow':
      return {};
    case 'deny':
      return { output: denial(event, reason) };
    case 'ask':
      return { output: { decision: 'ask', reason } };
    // What nobody has decided yet must not happen yet.
    case 'defer':
      return { output: denial(event, `Not decided yet: ${reason}`) };
    case 'modify':
      return { output: changed(event, modifications) ?? denial(event, `${reason} (modify_unsupported)`) }; // prettier-ignore
    default:
      // An answer that says nothing anyone understands is no permission (§6.3).
      return { output: denial(event, `The Guardian answered with the decision ${JSON.stringify(decision)}.`) }; // prettier-ignore
  }
}

const denial = ({ hook_event_name: name }: Fields, reason: string): Fields =>
  name === 'SessionStart' ? { continue: false, stopReason: reason } : { decision: 'deny', reason };

/** Applies a Guardian's changes; undefined if they contradict each other, or cannot be applied here. */
function changed(event: Fields, modifications: unknown): Fields | undefined {
  if (!isRecord(modifications)) return undefined;
  const { parameter_overrides: overrides, modified_content: content, redactions } = modifications;
  const { hook_event_name: name, tool_input: input, tool_response: response } = event;
  const isWhole = content !== undefined;
  if (isWhole && (overrides !== undefined || redactions !== undefined)) return undefined;
  if (redactions !== undefined) return undefined;
  if (name === 'BeforeTool' && isRecord(overrides) && isRecord(input))
    return { hookSpecificOutput: { hookEventName: name, tool_input: { ...input, ...overrides } } };
  if (name !== 'AfterTool' || !isWhole) return undefined;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const now = { ...(isRecord(response) ? response : {}), llmContent: text, returnDisplay: text };
  return { hookSpecificOutput: { hookEventName: name, tool_response: now } };
}
