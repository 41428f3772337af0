import { isRecord } from '../base/json.ts';
import { type SettingsPlace, settingsPlaces } from '../settings/files/levels.ts';
import { collectProblems, type Path, type SettingsProblem } from '../core/definitions/problem.ts';
import { said } from '../base/message-of.ts';
import { settingsReader } from '../settings/files/read-files.ts';
import { nearestKey } from '../settings/files/unknown-names.ts';

/** The settings of durable calls, in `hooksConfig.durable`. */
export interface DurableSettings {
  /** The URL of a PostgreSQL database. */
  readonly database?: string;
  readonly workspace?: string;
  /** How long a question waits for its answer, in ms. */
  readonly expiresAfter?: number;
  /** How long a host may be silent before it is considered dead, in ms. */
  readonly lostAfter?: number;
  readonly concurrency?: number;
  readonly workspaceConcurrency?: number;
}

/** The settings of durable calls, and the problems found in them. */
export interface ReadDurableSettings {
  /** The user's settings, overridden by the system's. */
  readonly settings: DurableSettings;
  /** The administrator's database, which no variable overrides. */
  readonly systemDatabase?: string;
  readonly problems: readonly SettingsProblem[];
}

/**
 * Reads `hooksConfig.durable` from the user's and the system's own settings files. A project's and LLxprt's
 * files have no say in where calls are kept. If the file of the project in the folder `project` has such
 * settings, that is reported; without `project`, no project's file is read.
 *
 * @example
 * const { settings } = durableSettings();
 * const durable = await connectDurable({ database, workspace: 'shop', config, tools, ...settings });
 */
export function durableSettings({
  project,
  systemFolder,
}: { readonly project?: string; readonly systemFolder?: string } = {}): ReadDurableSettings {
  const read = settingsReader();
  const problems: SettingsProblem[] = [];
  const places = settingsPlaces(project ?? '/', systemFolder).filter(
    ({ source }) => source !== 'project' || project !== undefined,
  );
  const levels = places.flatMap((place) => {
    const found = read(place.file);
    const config = found?.values['hooksConfig'];
    const given = isRecord(config) ? config['durable'] : undefined;
    if (found === undefined || given === undefined) return [];
    const fields: Record<string, unknown> & DurableSettings = {};
    problems.push(
      ...collectProblems({ file: place.file, locate: found.locate }, (complain) => {
        if (!counts(place))
          return complain(() => ({
            path: ['hooksConfig', 'durable'],
            message: "counts only in the user's and the system's own settings, so it was ignored",
            fix: 'write it into ~/.hookmachine/settings.json',
          }));
        if (!isRecord(given))
          return complain(() => ({
            path: ['hooksConfig', 'durable'],
            message: `${said(given)}, so it was ignored`,
            fix: 'make it an object, such as { "database": "$HOOKMACHINE_DATABASE_URL" }',
          }));
        for (const [key, value] of Object.entries(given)) {
          const { [key]: field } = known;
          const path: Path = ['hooksConfig', 'durable', key];
          if (field === undefined) {
            const near = nearestKey(key, Object.keys(known));
            complain(() => ({
              path,
              message: 'there is no such key, so it was ignored',
              fix: near === undefined ? `write one of ${Object.keys(known).join(', ')}` : `write "${near}"`, // prettier-ignore
              code: 'unknown-key',
            }));
            continue;
          }
          const made = field(value);
          if ('fix' in made)
            complain(() => ({ path, message: `${made.message ?? said(value)}, so it was ignored`, fix: made.fix })); // prettier-ignore
          else fields[key] = made.value;
        }
      }),
    );
    return counts(place) ? [{ ...place, fields }] : [];
  });
  // The weaker ones come first, so that the stronger ones overwrite them.
  const ordered = ['user', 'system'].flatMap((source) =>
    levels.filter((level) => level.source === source),
  );
  const settings = Object.assign({}, ...ordered.map(({ fields }) => fields)) as DurableSettings;
  const systemDatabase = ordered.findLast(
    ({ source, fields }) => source === 'system' && fields.database !== undefined,
  )?.fields.database;
  return { settings, ...(systemDatabase !== undefined && { systemDatabase }), problems };
}

const counts = ({ source, owner }: SettingsPlace): boolean =>
  source !== 'project' && owner === 'hookmachine';

type Read = { readonly value: unknown } | { readonly message?: string; readonly fix: string };

const known: Readonly<Record<string, (value: unknown) => Read>> = {
  database: (value) => {
    const fix = 'write the URL of a PostgreSQL database, or a variable that holds it: "$HOOKMACHINE_DATABASE_URL"'; // prettier-ignore
    if (typeof value !== 'string') return { fix };
    const [, variable] = /^\$(\w+)$/.exec(value) ?? [];
    const url = variable === undefined ? value : process.env[variable];
    if (variable !== undefined && !url)
      return { message: `names the variable ${variable}, which is not set`, fix: 'set it' };
    return /^postgres(?:ql)?:\/\//.test(url!) ? { value: url } : { message: 'is not the URL of a PostgreSQL database', fix }; // prettier-ignore
  },
  workspace: (value) =>
    typeof value === 'string' && value.trim() !== ''
      ? { value }
      : { fix: 'make it a name, such as "shop"' },
  expiresAfter: time,
  lostAfter: time,
  concurrency: number,
  workspaceConcurrency: number,
};

function number(value: unknown): Read {
  const isCount = Number.isInteger(value) && (value as number) > 0;
  return isCount ? { value } : { fix: 'make it a whole number of at least 1' };
}

function time(value: unknown): Read {
  const ms = typeof value === 'string' ? timeIn(value) : undefined;
  return ms === undefined ? { fix: 'write a time such as "7d", "12h", "30m" or "90s"' } : { value: ms }; // prettier-ignore
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/**
 * Returns the number of ms that a text such as `7d` or `90s` stands for; undefined if it is not such a text.
 */
export function timeIn(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}
