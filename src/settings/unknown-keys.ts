import { isRecord } from '../protocol/output.ts';
import {
  commentKey,
  hooksConfigKeys,
  misplacedTopKeys,
  placeOfTopKey,
  slipOf,
  toolsKeys,
  topKeys,
} from './known-keys.ts';
import { nearestKey } from './nearest-key.ts';
import { said, type Complain, type Path } from './problem.ts';

/**
 * Reports keys of a settings file that evidently were meant for us: where other programs have keys
 * too, those that are a slip of ours, and in `hooksConfig` all that nobody knows.
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
    reportUnknownKeys(hooksConfig, ['hooksConfig'], hooksConfigKeys, [], complain);
}

/** Reports every key of an object that is not known there, with the one that was probably meant. */
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
});
