import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import { type AgentContext, type IdentityProvider, isPoint, points } from './contract.ts';

/** How deep a context may be nested (§12.3). */
const mostDepth = 128;

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

/**
 * Returns the canonical JSON of a value (RFC 8785).
 *
 * @throws an error for what has no interoperable JSON form: it is never rewritten
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > mostDepth) throw new Error('it is nested too deeply');
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new Error('a number is not finite');
      // A number that is written with an exponent was never meant as an identifier.
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
        throw new Error('integer exceeds 2^53; string-encode 64-bit identifiers, see §4.4');
      return JSON.stringify(value);
    case 'string':
      if (/\p{Surrogate}/u.test(value)) throw new Error('a text holds half a character');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    default:
  }
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value))
    return `[${value.map((one) => canonicalJson(one, depth + 1)).join(',')}]`;
  if (!isRecord(value)) throw new Error('a value has no JSON form');
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    // By UTF-16 code units, as the language compares.
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((key) => `${canonicalJson(key, depth)}:${canonicalJson(value[key], depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Whether a provider may have this name (§10.1). */
export const isProviderName = (name: string): boolean =>
  name === jcsSha256.name || (/^[a-z][a-z0-9_-]*$/.test(name) && !name.startsWith('jcs'));
