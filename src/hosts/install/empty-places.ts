import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import type { EventEntry } from '../../core/dialects/installation.ts';
import { isRecord } from '../../base/json.ts';
import { realPath, stateFolder } from '../../settings/files/levels.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import type { Path } from '../../core/definitions/problem.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { textAt } from '../../settings/files/edit-settings-text.ts';
import { isEmpty, valueAt, valueOf } from './json-values.ts';

/** A list or an object that was empty before `install` wrote into it, as it was written. */
export interface EmptyPlace {
  readonly path: Path;
  readonly text: string;
}

/** The empty ones among the places that `install` writes into. */
export const emptyPlaces = (
  text: string,
  wanted: readonly EventEntry[],
  under = 'hooks',
): EmptyPlace[] =>
  [[], [under], ...wanted.map(({ event }) => [under, event])]
    .filter((path) => isEmpty(valueAt(valueOf(text), path)))
    .map((path) => ({ path, text: textAt(text, path)! }));

/**
 * Keeps in the user's state folder which places of a file were empty, so that `uninstall` leaves them there.
 */
export function keepEmpty(file: string, places: readonly EmptyPlace[]): void {
  const record = recordOf(file);
  const all = [...emptyBefore(file), ...places];
  if (record === undefined || all.length === 0) return;
  try {
    makeFolder(join(record, '..'), 0o700);
    writeAtomically(record, JSON.stringify(all), { mode: 0o600 });
  } catch {
    // Then `uninstall` removes the emptied places too.
  }
}

/** The places of a file that were empty before `install` wrote into it, as far as known. */
export function emptyBefore(file: string): readonly EmptyPlace[] {
  const record = recordOf(file);
  if (record === undefined) return [];
  try {
    const kept: unknown = JSON.parse(textIn(record) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEmptyPlace) : [];
  } catch {
    return [];
  }
}

/** Forgets the empty places, once `uninstall` has restored them. */
export function forgetEmpty(file: string): void {
  const record = recordOf(file);
  if (record !== undefined) rmSync(record, { force: true });
}

const isEmptyPlace = (value: unknown): value is EmptyPlace =>
  isRecord(value) && Array.isArray(value['path']) && isEmptyText(value['text']);

function isEmptyText(text: unknown): boolean {
  const parsed = typeof text === 'string' ? parseJson(text) : undefined;
  return parsed !== undefined && 'value' in parsed && isEmpty(parsed.value);
}

function recordOf(file: string): string | undefined {
  const folder = stateFolder('install');
  const name = createHash('sha256').update(realPath(file)).digest('hex');
  return folder && join(folder, name);
}
