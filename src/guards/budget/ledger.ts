import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../base/file-lock.ts';
import { makeFolder } from '../../base/folders.ts';
import { type GrownLines, grownLines } from '../../base/grown-lines.ts';
import { keptInProcess } from '../../base/surroundings.ts';
import { stateFolder } from '../../settings/files/levels.ts';
import type { TokenUsage } from './usage.ts';

/** A model call that has been paid for. */
export interface UsageEntry extends TokenUsage {
  /** When it ended, in ISO 8601. */
  readonly at: string;
  readonly id: string;
  readonly session: string;
  /** Its cost in US dollars; absent if nobody knows the model's price. */
  readonly usd?: number | undefined;
  /** Where it is known from. */
  readonly via?: 'gateway' | 'transcript';
}

/** A call that is being made, and is assumed to use this much until it has ended. */
interface Reservation {
  readonly at: string;
  readonly id: string;
  readonly session: string;
  readonly model: string;
  /** Tokens. */
  readonly reserves: number;
  /** What they would cost, in US dollars. */
  readonly usd?: number | undefined;
}

/** That the user was warned of something. */
interface Warned {
  readonly at: string;
  readonly warned: string;
}

type Line = UsageEntry | Reservation | Warned | { readonly id: string; readonly frees: true };

/** How long a call that was never reported as ended is assumed to run, in ms. */
const reservedFor = 15 * 60_000;

const dayMs = 24 * 60 * 60_000;

/** How long usage is kept, in days. */
const keptDays = 400;

/** What is known of a day. */
export interface Day {
  readonly entries: readonly UsageEntry[];
  /** Those of the day before: a session may have begun then. */
  readonly earlier: readonly UsageEntry[];
  readonly open: readonly Reservation[];
  readonly warned: ReadonlySet<string>;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** The day of a time by the local clock, as in 2026-11-28. */
export const dayOf = (time: Date): string =>
  `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

const folderOf = (): string | undefined => stateFolder('usage');

const fileOf = (day: string): string | undefined => {
  const folder = folderOf();
  return folder && join(folder, `${day}.jsonl`);
};

/** Reads what was used today. */
export const readDay = (): Day => ({
  ...readOne(dayOf(new Date())),
  earlier: readOne(dayOf(new Date(Date.now() - dayMs))).entries,
});

/** The calls that ended on a day. */
export const entriesOf = (day: string): readonly UsageEntry[] => readOne(day).entries;

function readOne(day: string): Omit<Day, 'earlier'> {
  const file = fileOf(day);
  const made: UsageEntry[] = [];
  // A transcript may tell the same call several times.
  const told = new Map<string, UsageEntry>();
  const open = new Map<string, Reservation>();
  const warned = new Set<string>();
  const since = Date.now() - reservedFor;
  for (const line of file === undefined ? [] : linesIn(file)) {
    if ('warned' in line) warned.add(line.warned);
    else if ('frees' in line) open.delete(line.id);
    else if (!('reserves' in line)) {
      if (line.via === 'transcript') told.set(line.id, line);
      else made.push(line);
    } else if (Date.parse(line.at) > since) open.set(line.id, line);
  }
  const ids = new Set(made.map(({ id }) => id));
  const others = [...told.values()].filter(({ id }) => !ids.has(id));
  return { entries: [...made, ...others], open: [...open.values()], warned };
}

/** The days on which anything was used, the oldest first. */
export function knownDays(): readonly string[] {
  const folder = folderOf();
  try {
    return (folder === undefined ? [] : readdirSync(folder))
      .flatMap((name) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? [])
      .toSorted();
  } catch {
    return [];
  }
}

/** What was read of the days' files. */
const known = keptInProcess(() => new Map<string, GrownLines<Line>>());

/** How many days are kept in memory. */
const mostDays = 3;

function linesIn(file: string): readonly Line[] {
  const all = known();
  const now = grownLines(file, all.get(file) ?? { size: 0, lines: [] });
  all.delete(file);
  all.set(file, now);
  for (const oldest of all.keys()) if (all.size > mostDays) all.delete(oldest);
  return now.lines;
}

function write(line: Line, day = dayOf(new Date())): void {
  const file = fileOf(day);
  if (file === undefined) return;
  makeFolder(join(file, '..'), 0o700);
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Notes what a call used. */
export const noteUsage = (entry: UsageEntry): void => write(entry, dayOf(new Date(entry.at)));

/** Notes that a call has ended of which nobody knows what it used. */
export const freeReservation = (id: string): void => write({ id, frees: true });

/** Notes that the user was warned. */
export const noteWarned = (warned: string): void => write({ at: new Date().toISOString(), warned });

/** Reserves tokens for a call, unless `refusal` finds that it must not be made; no other process does so meanwhile. */
export function reserve<Refusal>(
  asked: Omit<Reservation, 'at'>,
  refusal: (day: Day) => Refusal | undefined,
): Refusal | undefined {
  const folder = folderOf();
  if (folder === undefined)
    return refusal({ entries: [], earlier: [], open: [], warned: new Set() });
  makeFolder(folder, 0o700);
  return withLock(join(folder, 'lock'), () => {
    const refused = refusal(readDay());
    if (refused === undefined) write({ at: new Date().toISOString(), ...asked });
    return refused;
  });
}

/** Removes the usage of days long past. */
export function forgetOldUsage(): void {
  const folder = folderOf();
  const before = dayOf(new Date(Date.now() - keptDays * dayMs));
  for (const day of knownDays())
    if (folder !== undefined && day < before) rmSync(join(folder, `${day}.jsonl`), { force: true });
}
