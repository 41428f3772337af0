import { isRecord } from '../base/json.ts';
import { type SettingsPlace, settingsPlaces } from '../settings/files/levels.ts';
import { collectProblems, type Path, type SettingsProblem } from '../core/definitions/problem.ts';
import { said } from '../base/message-of.ts';
import { settingsReader } from '../settings/files/read-files.ts';
import { reportUnknownKeys } from '../settings/format/unknown-names.ts';
import { fits } from '../settings/format/field.ts';
import { configFields, durableFields } from '../settings/format/settings-fields.ts';
import { environment } from '../base/surroundings.ts';

/** The settings of durable calls, in `hooksConfig.durable`. */
export interface DurableSettings {
  /** The URL of a PostgreSQL database. */
  readonly database?: string;
  readonly workspace?: string;
  /** How long a question waits for its answer, in ms. */
  readonly expiresAfter?: number;
  /** How long a host may be without the database before the others consider it dead, in ms. */
  readonly lostAfter?: number;
  readonly concurrency?: number;
  readonly workspaceConcurrency?: number;
  /** Whether hosts take part only while the database waits for a synchronous standby. */
  readonly requireStandby?: boolean;
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
        const path: Path = ['hooksConfig', 'durable'];
        if (!isRecord(given))
          return complain(() => ({
            path,
            message: `${said(given)}, so it was ignored`,
            fix: configFields.durable.fix,
          }));
        reportUnknownKeys(given, path, Object.keys(durableFields), [], complain);
        for (const [key, field] of Object.entries(durableFields)) {
          const value = given[key];
          if (value === undefined) continue;
          const taken = fits(field, value) ? (readers[key]?.(value) ?? { value }) : {};
          if ('value' in taken) fields[key] = taken.value;
          else
            complain(() => ({
              path: [...path, key],
              message: `${taken.message ?? said(value)}, so it was ignored`,
              fix: taken.fix ?? field.fix,
            }));
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

type Read = { readonly value: unknown } | { readonly message?: string; readonly fix?: string };

/** How values that are more than they look like are read. */
const readers: Readonly<Record<string, (value: unknown) => Read>> = {
  database: (value) => readDatabase(String(value)),
  expiresAfter: (value) => ({ value: timeIn(String(value)) }),
  lostAfter: (value) => ({ value: timeIn(String(value)) }),
};

function readDatabase(text: string): Read {
  const [, variable] = /^\$(\w+)$/.exec(text) ?? [];
  const url = variable === undefined ? text : environment()[variable];
  if (variable !== undefined && !url)
    return { message: `names the variable ${variable}, which is not set`, fix: 'set it' };
  return /^postgres(?:ql)?:\/\//.test(url!)
    ? { value: url }
    : { message: 'is not the URL of a PostgreSQL database' };
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
