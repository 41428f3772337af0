import { isHookEventName, hookEventNames } from '../../core/protocol/events.ts';
import { failureWord, type Fields, field, flag, texts, written } from './field.ts';
import { redact } from './managed-fields.ts';
import * as z from './zod.ts';

const enabled = flag(
  'true switches hooks on; default false. false switches off the hooks of this file and of weaker ones (system, user, project, extension), whatever those say.',
);

const disabled = field(texts, {
  about: 'Names or commands of hooks, in this file and in weaker ones, that do not run.',
  fix: 'make it an array of hook names or commands',
});

const defaultOnFailure = field(failureWord, {
  about:
    'What a failure means for hooks without their own onFailure, in this file and in weaker ones. A "block" in a stronger file wins.',
  fix: 'write "allow" or "block"',
  fate: 'it counts as "block"',
});

const notifications = field(() => z.unknown(), { about: '', fix: 'remove it' });

const duration = () => z.string().check(z.regex(/^0*[1-9]\d*(?:ms|s|m|h|d)$/));
const count = () => z.int().check(z.minimum(1));
const timeFix = 'write a time such as "7d", "12h", "30m" or "90s"';
const countFix = 'make it a whole number of at least 1';

/** The fields of `hooksConfig.durable`. */
export const durableFields = {
  database: field(() => z.string(), {
    about:
      'The URL of a PostgreSQL database, or the name of a variable that holds it, such as "$HOOKMACHINE_DATABASE_URL".',
    fix: 'write the URL of a PostgreSQL database, or a variable that holds it: "$HOOKMACHINE_DATABASE_URL"',
  }),
  workspace: field(written, {
    about: 'What tools act on, unless an option names it.',
    fix: 'make it a name, such as "shop"',
  }),
  expiresAfter: field(duration, {
    about: 'How long a question waits for its answer; default "7d".',
    fix: timeFix,
  }),
  lostAfter: field(duration, {
    about:
      'A host that has been without the database for this long counts as ended; default "30s".',
    fix: timeFix,
  }),
  concurrency: field(count, {
    about: 'How many calls a worker works on at once; default 8.',
    fix: countFix,
  }),
  workspaceConcurrency: field(count, {
    about:
      'How many calls of the workspace all workers together work on at once; default: no limit.',
    fix: countFix,
  }),
  requireStandby: flag(
    'true makes hosts take part only while the database waits for a synchronous standby, so that a fail-over loses nothing; default false.',
  ),
} as const satisfies Fields;

/** The fields of `hooksConfig`. */
export const configFields = {
  enabled,
  disabled,
  redact,
  defaultOnFailure,
  recheck: flag(
    'true: where hooks change the arguments of a tool, or a request to the model, after others have judged them or in parallel, those others are asked again about what would now run. They may deny or ask, but not change anything.',
  ),
  opaqueCommands: field(() => z.enum(['allow', 'refuse']), {
    about:
      'How "hookmachine trust" treats a hook of a project of which not all that it runs can be found by reading its command: "allow" (the default) lets it run while what was found is unchanged, "refuse" never runs it. Counts only in the settings of the user and the system.',
    fix: 'write "allow" or "refuse"',
    fate: 'such hooks are refused',
  }),
  durable: field(() => z.record(z.string(), z.unknown()), {
    about:
      "Durable calls. Counts only in the user's .hookmachine/settings.json and in the system's settings of hookmachine.",
    fix: 'make it an object, such as { "database": "$HOOKMACHINE_DATABASE_URL" }',
  }),
  notifications,
} as const satisfies Fields;

/** The fields of `hooks` that are not events: they used to be settings. */
export const reservedFields = { enabled, disabled, notifications } as const satisfies Fields;

/** The keys of these fields. */
export const reserved: readonly string[] = Object.keys(reservedFields);

/** Our field in `tools`, which the host's own fields share. */
export const toolsFields = { enableHooks: enabled } as const satisfies Fields;

/** Our fields at the top of a settings file that are single values. */
export const topFields = { enableHooks: enabled, defaultOnFailure } as const satisfies Fields;

/** Our keys in `tools`. */
export const toolsKeys: readonly string[] = Object.keys(toolsFields);

/** All our keys at the top of a settings file, which the host's own keys share. */
export const topKeys: readonly string[] = [
  'budget',
  'guards',
  'hooks',
  'hooksConfig',
  'managed',
  'tools',
  ...Object.keys(topFields),
];

/** Our keys that belong deeper in the file and mean nothing at its top level. */
export const misplacedTopKeys: readonly string[] = [...hookEventNames, 'redact'];

/** Returns the key that such a misplaced key belongs under. */
export const placeOfTopKey = (key: string): string =>
  isHookEventName(key) ? 'hooks' : 'hooksConfig';
