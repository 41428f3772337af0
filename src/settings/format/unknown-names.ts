import { distance } from 'fastest-levenshtein';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { commentKey } from './field.ts';
import {
  configFields,
  misplacedTopKeys,
  placeOfTopKey,
  toolsKeys,
  topKeys,
} from './settings-fields.ts';
import {
  collectProblems,
  type Complain,
  type Path,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import type { DisabledHooks } from '../../core/definitions/settings.ts';

/**
 * Reports keys of a settings file that were evidently meant for us: typos of our keys where other programs
 * have keys too, and every unknown key in `hooksConfig`.
 */
export function reportMisspeltKeys(values: Readonly<Record<string, unknown>>, complain: Complain) {
  for (const key of Object.keys(values)) {
    const meant = slipOf(key, topKeys);
    if (meant !== undefined) complain(() => misspelt([key], meant));
    else if (misplacedTopKeys.includes(key))
      complain(() => misplaced([key], `it belongs in "${placeOfTopKey(key)}"`));
  }
  for (const key of ['tools', 'hooksConfig'])
    if (values[key] !== undefined && values[key] !== null && !isRecord(values[key]))
      complain(() => ({
        path: [key],
        message: `${said(values[key])}, so it was ignored`,
        fix: 'make it an object: { … }',
      }));
  const { tools, hooksConfig } = values;
  for (const key of isRecord(tools) ? Object.keys(tools) : []) {
    const meant = slipOf(key, toolsKeys);
    if (meant !== undefined) complain(() => misspelt(['tools', key], meant));
  }
  if (isRecord(hooksConfig))
    reportUnknownKeys(hooksConfig, ['hooksConfig'], Object.keys(configFields), [], complain);
}

/** Reports every unknown key of an object, with the key that was probably meant. */
export function reportUnknownKeys(
  value: object,
  path: Path,
  keys: readonly string[],
  foreign: readonly string[],
  complain: Complain,
  hintFor: (key: string) => string | undefined = () => undefined,
): void {
  for (const key of Object.keys(value))
    if (!keys.includes(key) && !foreign.includes(key) && !commentKey.test(key))
      complain(() => {
        const meant = nearestKey(key, keys);
        const at = [...path, key];
        if (meant !== undefined) return misspelt(at, meant);
        return misplaced(at, hintFor(key) ?? `the keys here are ${keys.join(', ')}`);
      });
}

const misspelt = (path: Path, meant: string) => misplaced(path, `write "${meant}"`);

const misplaced = (path: Path, fix: string) => ({
  path,
  message: 'there is no such key, so it is ignored',
  fix,
  code: 'unknown-key' as const,
});

/**
 * Reports keys that are typos of one of these. Any other key may be one that its host knows and we do not.
 */
export function reportSlips(
  value: object,
  path: Path,
  keys: readonly string[],
  complain: Complain,
): void {
  for (const key of Object.keys(value)) {
    const meant = slipOf(key, keys);
    if (meant !== undefined) complain(() => misspelt([...path, key], meant));
  }
}

/**
 * Reports names in lists of disabled hooks that are neither the name nor the command of any hook: a hook that
 * was meant to be disabled keeps running. `knowsAll` returns whether `hooks` is complete; it is called only
 * if a name is unknown.
 */
export function unknownDisabled(
  disabled: readonly (DisabledHooks & { readonly file?: string | undefined })[],
  hooks: readonly (Pick<HookDefinition, 'name' | 'command'> & { readonly dialect?: string })[],
  knowsAll: () => boolean = () => true,
): SettingsProblem[] {
  if (disabled.every(({ names }) => names.length === 0)) return [];
  const known = new Set(hooks.flatMap(({ name, command }) => [name, command]));
  const dialects = new Set(hooks.flatMap(({ dialect }) => dialect ?? []));
  const isKnown = (name: string): boolean => {
    if (known.has(name)) return true;
    const [, dialect, ofDialect = ''] = /^([a-z-]+):(?!\s)([^]+)$/.exec(name) ?? [];
    // The hooks of a dialect may not have been looked for.
    return dialect !== undefined && (!dialects.has(dialect) || known.has(ofDialect));
  };
  if (disabled.every(({ names }) => names.every(isKnown)) || !knowsAll()) return [];
  const near = [...known].filter((name) => name !== '').slice(0, mostCompared);
  return disabled.flatMap(({ names, file }) =>
    collectProblems(file === undefined ? {} : { file }, (complain) => {
      for (const name of new Set(names))
        if (!isKnown(name))
          complain(() => {
            const meant = nearestKey(name, near);
            return {
              path: ['hooksConfig', 'disabled'],
              message: `${said(name).replace(/^is /, '')} is not the name or command of any hook, so it disables none`,
              fix:
                meant === undefined
                  ? 'write a name that "hookmachine list" shows'
                  : `write ${JSON.stringify(meant)}`,
              code: 'unknown-name',
            };
          });
    }),
  );
}

/** The most names that an unknown one is compared with. */
const mostCompared = 1_000;

/** Longer than any key; comparing words of this length would take time. */
const longestKey = 60;

/** Returns the key that was probably meant; undefined if none is close enough. */
export function nearestKey(key: string, keys: readonly string[]): string | undefined {
  if (key.length > longestKey) return undefined;
  const written = plain(key);
  const [nearest] = keys
    .map((known) => ({ known, away: distance(written, plain(known)) }))
    .filter(
      ({ known, away }) => away <= Math.max(known.length < 4 ? 1 : 2, Math.floor(known.length / 3)),
    )
    .toSorted((one, other) => one.away - other.away);
  return nearest?.known ?? keys.find((known) => areOneBeginning(written, plain(known)));
}

const plain = (key: string): string => key.replaceAll(/[-_ .]/g, '').toLowerCase();

/** True for a longer or shorter form of a key, such as `timeoutMs` and `desc`. */
const areOneBeginning = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one));

/** Other spellings of our keys that are more than one letter away from them. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  hooksConfig: [
    'hookConfigs',
    'hookConfiguration',
    'hooksConfiguration',
    'hookSettings',
    'hooksSettings',
  ],
  enableHooks: ['hooksEnabled', 'hookEnabled', 'enabledHook'],
};

/**
 * Returns the key that another one is a typo of: the two differ in case, in how words are separated, or in
 * one letter that is missing, extra, wrong, or swapped with its neighbour.
 */
export function slipOf(key: string, keys: readonly string[]): string | undefined {
  if (keys.includes(key) || key.length > 100 || !/^[\w. -]+$/.test(key)) return undefined;
  const written = letters(key);
  return keys.find(
    (known) =>
      isOneSlip(written, letters(known)) ||
      otherWords[known]?.some((word) => letters(word) === written),
  );
}

const letters = (key: string): string => key.replaceAll(/[-_ .]/g, '').toLowerCase();

function isOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)];
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left[0] === right[1] && left[1] === right[0] && right.length === 2)
  );
}

/** Returns `slipOf` for one key as a regular expression, because a schema can express nothing else. */
export function slipPattern(key: string): string {
  const word = letters(key);
  const variants = new Set<string>([word]);
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    variants.add(`${before}?${after}`);
    if (after === '') continue;
    variants.add(before + after.slice(1));
    variants.add(`${before}?${after.slice(1)}`);
    if (after.length > 1) variants.add(before + after[1]! + after[0]! + after.slice(2));
  }
  for (const other of otherWords[key] ?? []) variants.add(letters(other));
  const gap = '[-_ .]*';
  const any = (variant: string): string =>
    Array.from(variant, (letter) =>
      letter === '?' ? '[a-zA-Z0-9]' : `[${letter}${letter.toUpperCase()}]`,
    ).join(gap);
  return `^(?!${key}$)${gap}(?:${[...variants].map(any).join('|')})${gap}$`;
}
