import { isHookEventName } from '../protocol/events.ts';
import { isRecord } from '../protocol/output.ts';
import type { HooksFromSource } from './define-hooks.ts';
import { definitionOf, isLiteral, reserved } from './definition-of.ts';
import type { HookDefinition } from './hook-definition.ts';
import type { HookEntry, OpenGroup } from './schema.ts';

/**
 * The definitions of a source in which everything is beyond doubt as it should be; undefined where
 * anything is wrong or only unusual, for `defineHooks` to judge. Most sources are plain, and the
 * schema would cost a short-lived command most of its time.
 */
export function definePlainHooks(from: HooksFromSource): HookDefinition[] | undefined {
  const hooks = from.hooks ?? {};
  if (!isRecord(hooks)) return undefined;
  const definitions: HookDefinition[] = [];
  for (const [event, groups] of Object.entries(hooks)) {
    if (reserved.includes(event)) continue;
    if (!isHookEventName(event) || !Array.isArray(groups)) return undefined;
    for (const [index, group] of groups.entries()) {
      if (!isPlainGroup(group) || isLiteral(event, group.matcher?.trim() ?? '*')) return undefined;
      for (const [at, hook] of group.hooks.entries()) {
        if (!isPlainHook(hook)) return undefined;
        const place = ['hooks', event, index, 'hooks', at];
        definitions.push(definitionOf(hook, group, event, place, from));
      }
    }
  }
  return definitions;
}

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === 'string';

const isPlainGroup = (value: unknown): value is OpenGroup =>
  hasOnly(value, ['hooks'], {
    matcher: isText,
    sequential: (sequential) => typeof sequential === 'boolean',
    hooks: Array.isArray,
  });

const isPlainHook = (value: unknown): value is HookEntry =>
  hasOnly(value, ['type', 'command'], {
    type: (type) => type === 'command',
    command: (command) => typeof command === 'string' && /\S/.test(command),
    timeout: (timeout) => Number.isFinite(timeout) && (timeout as number) > 0,
    name: isText,
    description: isText,
    onFailure: (onFailure) => onFailure === 'allow' || onFailure === 'block',
  });

/** Whether these fields are there, and no others than fit. */
const hasOnly = (
  value: unknown,
  needed: readonly string[],
  fields: Readonly<Record<string, Fits>>,
): boolean =>
  isRecord(value) &&
  needed.every((name) => Object.hasOwn(value, name)) &&
  Object.entries(value).every(
    ([name, field]) => Object.hasOwn(fields, name) && fields[name]!(field),
  );
