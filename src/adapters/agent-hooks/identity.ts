import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isRecord } from '../../base/json.ts';
import { type AgentContext, type IdentityProvider, isPoint, points } from './contract.ts';

/** The fields of each object that count (§10.2); of all others, everything does. */
const projected: Readonly<Record<string, readonly string[]>> = {
  agent: ['id', 'framework'],
  session: ['id'],
  model: ['id'],
  tool_call: ['id', 'name', 'args'],
  tool_result: ['value', 'is_error'],
  response: ['content', 'tool_calls', 'finish_reason'],
  input: ['content', 'role'],
  agent_init: ['tools_registered'],
  output: ['content'],
  summary: ['reason'],
};

const core = ['spec', 'interception_point', 'timestamp', 'sequence', 'agent', 'session', 'target'];

/** The fields that each point requires besides the core (§4.2). */
export const required = {
  agent_startup: ['agent_init'],
  input: ['input'],
  pre_model_call: ['model', 'messages'],
  post_model_call: ['model', 'response'],
  pre_tool_call: ['tool_call'],
  post_tool_call: ['tool_call', 'tool_result'],
  output: ['output'],
  agent_shutdown: ['summary'],
} as const satisfies Readonly<Record<keyof typeof points, readonly string[]>>;

/** The provider that every host has (§10.2): SHA-256 over the canonical JSON (RFC 8785) of what is required. */
export const jcsSha256: IdentityProvider = {
  name: 'jcs-sha256',
  identify: (context) =>
    `sha256:${createHash('sha256')
      .update(canonicalJson(projectionOf(context)))
      .digest('hex')}`,
};

/** @throws an error for a point that the specification does not know, or a field that is missing */
function projectionOf(context: AgentContext): Readonly<Record<string, unknown>> {
  const { interception_point: point } = context;
  if (!isPoint(point)) throw new Error('its interception point is unknown');
  return Object.fromEntries(
    [...core, ...required[point]].flatMap((key): [string, unknown][] => {
      const value = context[key];
      if (value === undefined) throw new Error(`it has no ${key}`);
      const fields = projected[key];
      // The target is one of the other fields, and has the same members.
      const members = key === 'target' ? projected[points[point]] : fields;
      if (members === undefined || !isRecord(value)) return [[key, value]];
      return [[key, Object.fromEntries(members.filter((name) => name in value).map((name) => [name, value[name]]))]]; // prettier-ignore
    }),
  );
}

/** Whether a provider may have this name (§10.1). */
export const isProviderName = (name: string): boolean =>
  name === jcsSha256.name || (/^[a-z][a-z0-9_-]*$/.test(name) && !name.startsWith('jcs'));
