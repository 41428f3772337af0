import { said } from '../../base/message-of.ts';
import type { HookDefinition } from './hook-definition.ts';
import type { HookSource } from '../protocol/events.ts';
import { isRecord } from '../../base/json.ts';

/** Steps into a settings file, such as `['hooks', 'BeforeTool', 0]`. */
export type Path = readonly (string | number)[];

/** A line and a column, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the position of the value at a path or of its key; if there is none, of the nearest value around it. */
export type Locate = (path: Path, part?: 'key' | 'value') => Position;

/** The kind of fault, for programs; only where there is more to say than that a value is invalid. */
export type FaultCode = 'unknown-key' | 'unknown-event' | 'unknown-name' | 'timeout-unit' | 'off';

/** Something wrong in the user's configuration; the rest of the configuration still counts. */
export interface SettingsProblem {
  /** The settings file, if there is one. */
  readonly file?: string;
  readonly at?: Position;
  /** The path in the settings, such as `hooks.BeforeTool[0].hooks[1]`; '' for the whole file. */
  readonly place: string;
  /** What is wrong and what was done about it. */
  readonly message: string;
  /** What the user can do. */
  readonly fix: string;
  readonly code?: FaultCode;
  /** The whole file is ignored, so what it holds is unknown. */
  readonly isWhole?: true;
  /** The system was out of descriptors or memory, so the next attempt may succeed. */
  readonly isPassing?: true;
  /** Hooks were discarded, so that what they guard is unknown. */
  readonly lost?: (LostHooks & { readonly sources: readonly HookSource[] }) | undefined;
  /** Set on the last line for a file with very many problems: how many are not reported one by one. */
  readonly more?: number;
}

/** A fault at one place of a file. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  readonly code?: FaultCode;
}

/** Hooks that could not be read. */
export interface LostHooks {
  /** The dialect's name for their event; undefined if they may be hooks of any event. */
  readonly event?: string;
  readonly matcher?: string;
  /** What their failure means, if they or their file say so. */
  readonly onFailure?: 'allow' | 'block';
}

/**
 * Takes a fault as a function, which is called only if the fault will be reported, and the hooks that are
 * lost by it.
 */
export type Complain = (fault: () => Fault, lost?: LostHooks) => void;

/** The hooks lost with an entry, which may still say which tools it was for and what its failure means. */
export function lostEntry(event: string, entry: unknown, group: unknown = entry): LostHooks {
  const fields = [entry, group].map((one) => (isRecord(one) ? one : {}));
  const matcher = fields.map((one) => one['matcher']).find((one) => typeof one === 'string');
  const { onFailure, failClosed } = fields[0]!;
  return {
    event,
    ...(matcher !== undefined && { matcher }),
    ...((onFailure === 'block' || failClosed === true) && { onFailure: 'block' }),
    ...((onFailure === 'allow' || onFailure === 'continue') && { onFailure: 'allow' }),
  };
}

/** Reports that a hook is lost because of the value at this place. */
export function discarded(
  complain: Complain,
  lost: LostHooks,
  path: Path,
  value: unknown,
  fix: string,
): undefined {
  complain(() => ({ path, message: `${said(value)}, so the hook was discarded`, fix }), lost);
}

/** How many problems of a file are reported one by one; nobody reads more. */
const mostProblems = 100;

/**
 * Collects the problems that a check finds in a file, each with its place; after the first hundred they are
 * only counted.
 */
export function collectProblems(
  from: {
    readonly file?: string;
    readonly locate?: Locate | undefined;
    readonly source?: HookSource;
    readonly onFailure?: 'block';
  },
  check: (complain: Complain) => void,
): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  let more = 0;
  let moreLost: LostHooks | undefined;
  const ofSource = (lost: LostHooks): SettingsProblem['lost'] =>
    from.source && {
      ...(from.onFailure && { onFailure: from.onFailure }),
      ...lost,
      sources: [from.source],
    };
  check((fault, lost) => {
    if (problems.length >= mostProblems) {
      more++;
      // Whatever events the rest are for, the strictest of them stands for all.
      if (lost && lost.onFailure !== 'allow')
        moreLost = { ...moreLost, ...(lost.onFailure && { onFailure: lost.onFailure }) };
      return;
    }
    const { path, message, fix, code } = fault();
    problems.push({
      ...(from.file !== undefined && { file: from.file }),
      ...(from.locate && { at: from.locate(path, code === 'unknown-key' ? 'key' : 'value') }),
      place: placeOf(path),
      message,
      fix,
      ...(code && { code }),
      ...(lost && { lost: ofSource(lost) }),
    });
  });
  if (more === 0) return problems;
  const rest = moreProblems(from.file, more);
  return [...problems, moreLost ? { ...rest, lost: ofSource(moreLost) } : rest];
}

/** The definitions that a check yields entry by entry, and the problems it finds. */
export interface Checked<Definition> {
  readonly definitions: Definition[];
  readonly problems: SettingsProblem[];
}

/** Checks a file entry by entry; a bad entry does not affect the others. */
export function checkEntries<Definition>(
  from: Parameters<typeof collectProblems>[0],
  check: (complain: Complain) => Iterable<Definition>,
): Checked<Definition> {
  const definitions: Definition[] = [];
  const problems = collectProblems(from, (complain) => {
    for (const definition of check(complain)) definitions.push(definition);
  });
  return { definitions, problems };
}

const moreProblems = (file: string | undefined, more: number): SettingsProblem => ({
  ...(file !== undefined && { file }),
  place: '',
  message: `there ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}`,
  fix: 'fix those above first',
  more,
});

/** Returns the first hundred problems of each file, and at the end a line for each file that has more. */
export function firstProblems(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const first: SettingsProblem[] = [];
  const counts = new Map<string | undefined, number>();
  const more = new Map<string | undefined, number>();
  for (const problem of problems) {
    const { file } = problem;
    const count = counts.get(file) ?? 0;
    counts.set(file, count + 1);
    if (problem.more === undefined && count < mostProblems) first.push(problem);
    else more.set(file, (more.get(file) ?? 0) + (problem.more ?? 1));
  }
  return [...first, ...[...more].map(([file, count]) => moreProblems(file, count))];
}

/** Formats a problem as one line: file, place, fault, fix. */
export function formatProblem({ file, at, place, message, fix }: SettingsProblem): string {
  const where = file !== undefined && at ? `${file}:${at.line}:${at.column}` : file;
  return [[where, place].filter(Boolean).join(' '), `${message}; ${fix}`]
    .filter(Boolean)
    .join(': ');
}

/** Formats a path as a user would write it. */
export const placeOf = (path: Path): string =>
  path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? step : `${place}.${step}`;
  }, '');

/** Where something is denied because nobody knows which hooks guard it. */
type UnknownGuard = Pick<HookDefinition, 'event' | 'source' | 'name' | 'place'> &
  Partial<Pick<HookDefinition, 'nativeEvent' | 'matcher'>> & { readonly file: string };

/** Returns a hook that denies in place of one that is unknown; `why` says what is wrong and what to do. */
export function unknownGuard(guard: UnknownGuard, why: string): HookDefinition {
  const call = (): never => {
    throw new Error(why);
  };
  return {
    ...guard,
    type: 'function',
    command: guard.file,
    call,
    timeout: 1_000,
    onFailure: 'block',
    sequential: false,
    standsIn: true,
    // Nothing from the project runs, so it need not be trusted.
    source: guard.source === 'project' ? 'user' : guard.source,
    env: {},
  };
}
