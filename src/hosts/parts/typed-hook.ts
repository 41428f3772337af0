import { isRecord } from '../../base/json.ts';
import { discarded, type Complain, type Path } from '../../core/definitions/problem.ts';
import type { GroupEntry } from './hook-groups.ts';

/** The kinds of hooks that run here, each with the field that says what it runs. */
const handlers = { command: 'command', http: 'url', prompt: 'prompt' } as const;

export type HandlerType = keyof typeof handlers;

const isHandler = (type: unknown): type is HandlerType =>
  typeof type === 'string' && Object.hasOwn(handlers, type);

/** A hook whose kind and whose program, URL or prompt are known. */
export interface TypedHook {
  readonly type: HandlerType;
  readonly command: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Checks a hook's kind and what it runs; a hook that does not say so is reported and discarded. */
export function typedHook(
  { hook, path, lost }: Pick<GroupEntry<string>, 'hook' | 'path' | 'lost'>,
  complain: Complain,
): TypedHook | undefined {
  const discard = (at: Path, value: unknown, fix: string): undefined =>
    discarded(complain, lost, at, value, fix);
  if (!isRecord(hook))
    return discard(path, hook, 'make it an object: { "type": "command", "command": "…" }');
  const { type } = hook;
  if (!isHandler(type))
    return discard(
      [...path, 'type'],
      type,
      `only hooks of type ${Object.keys(handlers).join(', ')} run here`,
    );
  const name = handlers[type];
  const command = hook[name];
  if (typeof command !== 'string' || !/\S/.test(command))
    return discard([...path, name], command, `say what to run: "${name}": "…"`);
  return { type, command, fields: hook };
}
