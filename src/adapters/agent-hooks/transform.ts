import { isRecord } from '../../base/json.ts';
import { type AgentContext, hostError, points, type Verdict } from './contract.ts';

const root = /^\$(?:policy_)?target/;
const segment = /\.([\w-]+)|\[(\d+)\]|\["([\w-]+)"\]/y;

/** Returns the keys of a path below `$target`; undefined if it is not written as §5.2 has it. */
export function keysOf(path: string): (string | number)[] | 'forbidden' | undefined {
  const [start] = root.exec(path) ?? [];
  if (start === undefined || /^\w/.test(path.slice(start.length))) return 'forbidden';
  const keys: (string | number)[] = [];
  segment.lastIndex = start.length;
  while (segment.lastIndex < path.length) {
    const [, member, index, quoted] = segment.exec(path) ?? [];
    if (member !== undefined) keys.push(member);
    else if (index !== undefined) keys.push(Number(index));
    else if (quoted !== undefined) keys.push(quoted);
    else return undefined;
  }
  return keys;
}

/** Applies a transform to a context's target, and to the field that the target is (§4.3, §5.2). */
export function transformed(
  context: AgentContext,
  { path, value = null }: NonNullable<Verdict['transform']>,
): { readonly context: AgentContext } | { readonly fault: Verdict } {
  const { interception_point: point } = context;
  const keys = keysOf(path);
  if (keys === 'forbidden' || point === 'agent_startup' || point === 'agent_shutdown')
    return { fault: hostError('transform_target_forbidden') };
  const target = keys && replaced(context.target, keys, structuredClone(value));
  if (target === undefined) return { fault: hostError('transform_invalid') };
  const place = points[point].split('.');
  const whole = replaced(context, place, target.value) as { readonly value: AgentContext };
  return { context: { ...whole.value, target: structuredClone(target.value) } };
}

/** Returns a copy with another value at a place; undefined if there is no such place. */
function replaced(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  by: unknown,
): { readonly value: unknown } | undefined {
  if (key === undefined) return { value: by };
  if (Array.isArray(value)) {
    if (typeof key !== 'number' || key >= value.length) return undefined;
    const inner = replaced(value[key], rest, by);
    return inner && { value: value.with(key, inner.value) };
  }
  if (!isRecord(value) || typeof key !== 'string') return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const inner = replaced(value[key], rest, by);
  return inner && { value: { ...value, [key]: inner.value } };
}
