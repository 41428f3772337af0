import { isRecord } from '../../base/json.ts';
import { isPoint } from './contract.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isContent: Check = (value) => typeof value === 'string' || isRecord(value);
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([key, check]) => check(value[key]));
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const call = { id: isText, name: isText, args: isRecord };

const ofAll: Readonly<Record<string, Check>> = {
  spec: (value) => typeof value === 'string' && /^agent-hooks\/\d+\.\d+$/.test(value),
  interception_point: isPoint,
  timestamp: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  sequence: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  agent: fields({
    id: isText,
    framework: (value) => typeof value === 'string' && /^[a-z0-9_-]+$/.test(value),
  }),
  session: fields({ id: isText }),
};

const ofPoint: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  agent_startup: { agent_init: fields({ tools_registered: listOf(isText) }) },
  input: {
    input: fields({
      content: isContent,
      role: (value) => ['user', 'system', 'external'].includes(value as string),
    }),
  },
  pre_model_call: { model: fields({ id: isText }), messages: listOf(fields({ role: isText })) },
  post_model_call: {
    model: fields({ id: isText }),
    response: fields({
      content: (value) => value === null || isContent(value),
      tool_calls: listOf(fields(call)),
      finish_reason: isText,
    }),
  },
  pre_tool_call: { tool_call: fields(call) },
  post_tool_call: {
    tool_call: fields(call),
    tool_result: fields({
      value: (value) => value !== undefined,
      is_error: (value) => typeof value === 'boolean',
    }),
  },
  output: { output: fields({ content: isContent }) },
  agent_shutdown: {
    summary: fields({
      reason: (value) => ['completed', 'error', 'cancelled'].includes(value as string),
    }),
  },
};

/** Returns the name of the first field that makes a context invalid (§4); undefined if there is none. */
export function invalidField(context: Readonly<Record<string, unknown>>): string | undefined {
  const bad = (checks: Readonly<Record<string, Check>>): string | undefined =>
    Object.entries(checks).find(([key, check]) => !check(context[key]))?.[0];
  return (
    bad(ofAll) ??
    bad(ofPoint[context['interception_point'] as string]!) ??
    (context['target'] === undefined ? 'target' : undefined)
  );
}
