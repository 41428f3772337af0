import { isRecord } from '../../base/json.ts';
import type { EventWithFields } from '../../core/protocol/input.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { fireReport } from '../../hosts/relay/fire-report.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What hooks decided, as `hookmachine fire` reports it. */
export type Report = Awaited<ReturnType<typeof fireReport>>;

/** Steps that have no hook point here; they are recorded in the session's chain and allowed. */
const recorded: ReadonlySet<string> = new Set(
  [
    'agentTrigger',
    'turnStart',
    'turnEnd',
    'knowledgeRetrieval',
    'memoryContextRetrieval',
    'memoryStore',
    'skillRegister',
    'skillLoad',
    'skillUnload',
  ].map((name) => `steps/${name}`),
);

/** Returns the event of a step; `recorded` for one without a hook point, undefined for an unknown method. */
export function askedBy(method: string, payload: Fields): EventWithFields | 'recorded' | undefined {
  if (recorded.has(method)) return 'recorded';
  const tool = isRecord(payload['tool']) ? payload['tool'] : {};
  const call = { tool_name: textOf(tool['name']), tool_input: argumentsIn(payload) };
  switch (method) {
    case 'steps/toolCallRequest':
      return ['BeforeTool', call];
    case 'steps/toolCallResult': {
      const outputs = Array.isArray(payload['outputs']) ? payload['outputs'] : [];
      const text = outputs.map((one: unknown) => textOf(isRecord(one) ? one['value'] : one)).join('\n'); // prettier-ignore
      const failed = payload['exit_status'] === 'failure';
      const error = failed ? { error: { message: text } } : {};
      return ['AfterTool', { ...call, tool_response: { llmContent: text, returnDisplay: text, ...error } }]; // prettier-ignore
    }
    case 'steps/userMessage':
      return ['BeforeAgent', { prompt: contentIn(payload) }];
    case 'steps/agentResponse':
      return ['AfterAgent', { prompt: '', prompt_response: contentIn(payload), stop_hook_active: false }]; // prettier-ignore
    case 'steps/sessionStart':
      return ['SessionStart', { source: 'startup' }];
    case 'steps/sessionEnd':
      return ['SessionEnd', { reason: 'exit' }];
    case 'steps/preCompact':
      return ['PreCompress', { trigger: payload['triggered_by'] === 'manual' ? 'manual' : 'auto' }];
    case 'steps/postCompact':
      return ['PostCompress', { trigger: 'auto' }];
    case 'steps/subagentStart':
    case 'steps/subagentStop': {
      const descriptor = isRecord(payload['subagent_descriptor']) ? payload['subagent_descriptor'] : {}; // prettier-ignore
      const agent = {
        agent_id: textOf(payload['subagent_session_id']),
        agent_type: textOf(descriptor['agent_name']),
      };
      return method === 'steps/subagentStart'
        ? ['SubagentStart', agent]
        : ['SubagentStop', { ...agent, stop_hook_active: false }];
    }
    default:
      return undefined;
  }
}

/** Says what is missing in a step, without which nobody could judge it. */
export function faultIn(method: string, payload: Fields): string | undefined {
  switch (method) {
    case 'steps/toolCallRequest':
      if (!isRecord(payload['tool']) || typeof payload['tool']['name'] !== 'string')
        return '"payload.tool.name" is missing';
      return isRecord(payload['arguments']) ? undefined : '"payload.arguments" is missing';
    case 'steps/userMessage':
    case 'steps/agentResponse':
      return payload['content'] === undefined ? '"payload.content" is missing' : undefined;
    default:
      return undefined;
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** Each argument stands in an object, beside where it came from. */
const argumentsIn = ({ arguments: given }: Fields): Fields =>
  isRecord(given)
    ? Object.fromEntries(
        Object.entries(given).map(([key, value]) => [
          key,
          isRecord(value) && 'value' in value ? value['value'] : value,
        ]),
      )
    : {};

function contentIn({ content }: Fields): string {
  const pieces = Array.isArray(content) ? content : [content];
  return pieces.map((one: unknown) => (isRecord(one) ? textOf(one['value']) : textsIn(one))).join('\n'); // prettier-ignore
}

/** How long somebody who is asked may take, in ms. */
const answerTime = 300_000;

/** Steps about what has happened already: they are told to hooks, and cannot be denied. */
const reported: ReadonlySet<string> = new Set(
  ['postCompact', 'subagentStop', 'sessionEnd'].map((name) => `steps/${name}`),
);

/** Returns the decision of the standard for what hooks decided (§6). */
export function decisionOf(method: string, report: Report): Fields {
  const { decision, blocked, reason, stop, stopReason, toolInput, toolOutput } = report;
  const hooks = report.hooks.map(({ command, name }) => ({ policy_id: 'hookmachine', rule_id: name ?? command })); // prettier-ignore
  const why = (text: string | null): Fields => ({
    reasoning: text ?? 'A hook does not allow this.',
    policy_references: hooks,
  });
  if (reported.has(method))
    return { decision: 'allow', ...((blocked || stop) && why(blocked ? reason : stopReason)) };
  if (blocked) return { decision: 'deny', ...why(reason), reason_codes: ['denied'] };
  if (stop) return { decision: 'deny', ...why(stopReason), reason_codes: ['stopped'] };
  // Only a tool call can wait for somebody.
  if ((decision === 'ask' || decision === 'defer') && method !== 'steps/toolCallRequest')
    return { decision: 'deny', ...why(reason), reason_codes: [decision] };
  if (decision === 'ask')
    return { decision: 'ask', ...why(reason), ask_details: { approver: { type: 'human' }, timeout_ms: answerTime } }; // prettier-ignore
  if (decision === 'defer')
    return {
      decision: 'defer',
      ...why(reason),
      defer_details: {
        reason: 'pending_dependency',
        resolution_method: 'retry',
        resolution_timeout_ms: answerTime,
        timeout_decision: 'deny',
      },
    };
  if (method === 'steps/toolCallRequest' && toolInput)
    return { decision: 'modify', ...why(reason ?? 'A hook changed the arguments.'), modifications: { parameter_overrides: toolInput } }; // prettier-ignore
  if (method === 'steps/toolCallResult' && toolOutput)
    return { decision: 'modify', ...why(reason ?? 'A hook changed the result.'), modifications: { modified_content: textsIn(toolOutput['llmContent']) } }; // prettier-ignore
  return { decision: 'allow' };
}
