import { isDeepStrictEqual } from 'node:util';
import type { EventEntry } from '../../core/dialects/installation.ts';
import { relayInCommand, servePortIn } from '../parts/relay-entry.ts';
import { isRecord } from '../../base/json.ts';
import {
  addToList,
  removeAt,
  replaceAt,
  type InTheWay,
} from '../../settings/files/edit-settings-text.ts';
import { placeOf, type Path } from '../../core/definitions/problem.ts';
import type { EmptyPlace } from './empty-places.ts';
import { isEmpty, valueAt, valueOf } from './json-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An entry of ours in a settings file. */
interface FoundEntry {
  readonly event: string;
  /** The path of the handler, or of its group if that holds nothing else. */
  readonly path: Path;
  readonly isEdited: boolean;
}

/** A settings file's text after a change. */
export interface ChangedText {
  readonly text: string;
  /** Places of entries of ours that are not as `install` writes them. */
  readonly edited: readonly string[];
  /** Places where our relay is called together with something else. */
  readonly mixed: readonly string[];
  /** How many entries were removed. */
  readonly removed: number;
}

/** Returns the text with all missing entries added, each at the end of its event's list. */
export function withEntries(
  text: string,
  wanted: readonly EventEntry[],
  under = 'hooks',
): ChangedText | InTheWay {
  const { found, mixed } = findEntries(valueOf(text), wanted, defers, under);
  let changed = text;
  for (const { event, entry } of wanted) {
    if (found.some((one) => one.event === event)) continue;
    const next = addToList(changed, [under, event], entry);
    if (typeof next !== 'string') return next;
    changed = next;
  }
  return { text: changed, edited: editedIn(found), mixed, removed: 0 };
}

/**
 * Returns the text without any entry of ours. Lists that held nothing else are removed with them, as is
 * the object around them unless it is to stay. What was empty before is restored as it was.
 */
export function withoutEntries(
  text: string,
  wanted: readonly EventEntry[],
  keepsHooks: boolean,
  wasEmpty: readonly EmptyPlace[] = [],
  under = 'hooks',
): ChangedText {
  const { found, mixed } = findEntries(valueOf(text), wanted, () => false, under);
  let changed = text;
  for (const { path } of found.toReversed()) {
    changed = removeAt(changed, path);
    for (const around of [path.slice(0, 2), ...(keepsHooks ? [] : [[under]])])
      if (isEmpty(valueAt(valueOf(changed), around))) changed = emptied(changed, around, wasEmpty);
  }
  return { text: changed, edited: editedIn(found), mixed, removed: found.length };
}

function emptied(text: string, path: Path, wasEmpty: readonly EmptyPlace[]): string {
  const before = wasEmpty.find((place) => placeOf(place.path) === placeOf(path));
  return before === undefined ? removeAt(text, path) : replaceAt(text, path, before.text);
}

const editedIn = (found: readonly FoundEntry[]): string[] =>
  found.filter(({ isEdited }) => isEdited).map(({ path }) => placeOf(path));

function findEntries(
  value: Fields,
  wanted: readonly EventEntry[],
  trait: (command: string) => boolean,
  under: string,
): { readonly found: readonly FoundEntry[]; readonly mixed: readonly string[] } {
  const found: FoundEntry[] = [];
  const mixed: string[] = [];
  const hooks = value[under];
  for (const [event, list] of Object.entries(isRecord(hooks) ? hooks : {}))
    for (const [index, item] of listOf(list).entries()) {
      const path = [under, event, index];
      const wholes = wanted.filter((one) => one.event === event).map(({ entry }) => entry);
      const inner = isRecord(item) ? item['hooks'] : undefined;
      const handlers = Array.isArray(inner)
        ? inner.map((handler: unknown, at) => ({ handler, path: [...path, 'hooks', at] }))
        : [{ handler: item, path }];
      for (const { handler, path: at } of handlers) {
        const relay = relayOf(handler);
        if (relay === 'part') mixed.push(placeOf(at));
        if (relay === 'whole')
          found.push({
            event,
            path: handlers.length === 1 ? path : at,
            isEdited: !wholes.some((whole) =>
              isDeepStrictEqual(withoutCommands(item, trait), withoutCommands(whole, trait)),
            ),
          });
      }
    }
  return { found, mixed };
}

/** The fields of a handler, of any host, that say what it runs. */
const commandFields = ['command', 'bash', 'powershell', 'exec'] as const;

function relayOf(handler: unknown): 'whole' | 'part' | undefined {
  if (!isRecord(handler)) return undefined;
  if (servePortIn(handler['url'], handler['headers']) !== undefined) return 'whole';
  const args = listOf(handler['args']).filter((arg) => typeof arg === 'string');
  for (const field of commandFields) {
    const command = handler[field];
    const relay =
      typeof command === 'string' ? relayInCommand([command, ...args].join(' ')) : undefined;
    if (relay !== undefined) return relay;
  }
  return undefined;
}

/** Two entries are the same whatever command calls us, unless only one of them has the trait. */
function withoutCommands(value: unknown, trait: (command: string) => boolean): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, inner: unknown) =>
      commandFields.some((field) => field === key) ? trait(String(inner)) : inner,
    ),
  );
}

/** Whether a call of the relay defers what hooks ask about. */
const defers = (command: string): boolean => / --defer\b/.test(command);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
