import { isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  type Checked,
  collectProblems,
  type Complain,
  type Path,
} from '../../core/definitions/problem.ts';
import { commentKey, faultIn, type Fields, fits } from '../format/field.ts';
import {
  guardExceptionFields,
  guardFields,
  guardPathFields,
  type guardSubjects,
  guardsFields,
} from '../format/guard-fields.ts';
import { reportUnknownKeys } from '../format/unknown-names.ts';

/** A guard that settings can switch on. */
export type GuardName = keyof typeof guardSubjects;

/** How strict a guard is: its rules' own answers, a question for each of them, or not at all. */
export type GuardStrictness = 'on' | 'ask' | 'off';

/** Something that a rule lets through. */
export interface GuardException {
  /** The rule's id. */
  readonly rule: string;
  /** A path or a pattern of paths that it may be about; default: any. */
  readonly path?: string;
  /** The beginning of the commands that it is for, or with `*` a pattern; default: any. */
  readonly command?: string;
  /** The id of the session that it is for; default: any. */
  readonly session?: string;
  /** Why, for whoever reads it later. */
  readonly why?: string;
}

/** What the settings of one level say about guards. */
export interface GuardSettings {
  /** How strict each guard is; a guard that is missing is off. */
  readonly strictness: Readonly<Partial<Record<GuardName, GuardStrictness>>>;
  /** Patterns of paths that nothing may change. */
  readonly protect: readonly string[];
  /** Exceptions. */
  readonly allow: readonly GuardException[];
  /** A call continues if a guard itself fails. */
  readonly failOpen?: boolean;
}

const none: GuardSettings = { strictness: {}, protect: [], allow: [] };

/**
 * Reads the `guards` of a settings file. Whatever is wrong with a guard, it is on: a typo must not switch it off.
 */
export function readGuards(from: HooksFromSource): Checked<GuardSettings> {
  const { guards } = from;
  if (guards === undefined || guards === null) return { definitions: [], problems: [] };
  let settings = none;
  const problems = collectProblems(from, (complain) => {
    settings = isRecord(guards) ? read(guards, complain) : allOn(guards, complain);
  });
  return { definitions: [settings], problems };
}

const everything = Object.fromEntries(
  Object.keys(guardFields).map((name) => [name, 'on']),
) as GuardSettings['strictness'];

function allOn(guards: unknown, complain: Complain): GuardSettings {
  // `"guards": "on"` and `"guards": true` say what is meant.
  if (guards === 'on' || guards === true) return { ...none, strictness: everything };
  if (guards === 'off' || guards === false) return none;
  complain(() => ({
    path: ['guards'],
    message: `${said(guards)}, so all guards are on`,
    fix: 'make it an object: { "shell": "on", "git": "on", "secrets": "on" }',
  }));
  return { ...none, strictness: everything };
}

function read(guards: Readonly<Record<string, unknown>>, complain: Complain): GuardSettings {
  reportUnknownKeys(guards, ['guards'], Object.keys(guardsFields), [], complain);
  const strictness: Partial<Record<GuardName, GuardStrictness>> = {};
  for (const [name, one] of Object.entries(guardFields)) {
    const given = guards[name];
    if (given === undefined || given === null) continue;
    const isFit = fits(one, given);
    strictness[name as GuardName] = isFit
      ? (given as GuardStrictness)
      : given === false
        ? 'off'
        : 'on';
    if (!isFit && typeof given !== 'boolean') report(one, given, ['guards', name], complain);
  }
  const protect = protectedIn(guards['paths'], complain);
  if (protect.length > 0) strictness.paths = 'on';
  const failOpen = guards['failOpen'];
  if (failOpen !== undefined && typeof failOpen !== 'boolean')
    report(guardsFields.failOpen, failOpen, ['guards', 'failOpen'], complain);
  return {
    strictness,
    protect,
    allow: exceptionsIn(guards['allow'], complain),
    ...(failOpen === true && { failOpen }),
  };
}

function report(one: Fields[string], given: unknown, path: Path, complain: Complain): void {
  complain(() => ({
    path,
    message: `${faultIn(one, given)}, so ${one.fate ?? 'it was ignored'}`,
    fix: one.fix,
  }));
}

function protectedIn(paths: unknown, complain: Complain): readonly string[] {
  if (paths === undefined || paths === null) return [];
  if (!isRecord(paths)) {
    report(guardsFields.paths, paths, ['guards', 'paths'], complain);
    return [];
  }
  reportUnknownKeys(paths, ['guards', 'paths'], Object.keys(guardPathFields), [], complain);
  const { protect } = paths;
  if (protect === undefined) return [];
  if (!fits(guardPathFields.protect, protect))
    report(guardPathFields.protect, protect, ['guards', 'paths', 'protect'], complain);
  return Array.isArray(protect) ? protect.filter((pattern) => typeof pattern === 'string') : [];
}

/** A bad exception lets nothing through. */
function exceptionsIn(allow: unknown, complain: Complain): readonly GuardException[] {
  if (allow === undefined || allow === null) return [];
  if (!Array.isArray(allow)) {
    report(guardsFields.allow, allow, ['guards', 'allow'], complain);
    return [];
  }
  return allow.flatMap((entry: unknown, index): GuardException[] => {
    const path: Path = ['guards', 'allow', index];
    if (!isRecord(entry)) {
      complain(() => ({
        path,
        message: `${said(entry)}, so it lets nothing through`,
        fix: 'make it an object: { "rule": "…" }',
      }));
      return [];
    }
    const names = Object.keys(guardExceptionFields);
    const unknown = Object.keys(entry).filter(
      (key) => !names.includes(key) && !commentKey.test(key),
    );
    reportUnknownKeys(entry, path, names, [], complain);
    const bad = Object.entries(guardExceptionFields).find(([key, one]) => !fits(one, entry[key]));
    if (bad !== undefined) {
      const [key, one] = bad;
      complain(() => ({
        path: [...path, key],
        message: `${said(entry[key])}, so the exception lets nothing through`,
        fix: one.fix,
      }));
    }
    // With a key that nobody knows, it would let more through than was meant.
    return bad !== undefined || unknown.length > 0 ? [] : [entry as unknown as GuardException];
  });
}
