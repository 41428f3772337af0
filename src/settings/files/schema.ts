import { z } from 'zod';
import type { HookFunction, LeftBehind, TlsFiles } from '../../../machines/hook-process.ts';
import { allEvents, type HookEventName, hookPoints } from '../../core/points/hook-points.ts';
import type { HookType } from '../../core/definitions/hook-definition.ts';
import { defaultTimeout, mostHeldBack, mostRetries } from './known-keys.ts';
import { forbiddable } from './managed.ts';
import {
  commentKey,
  foreignGroupKeys,
  foreignHookKeys,
  misplacedTopKeys,
  ownKinds,
  shortestTimeout,
  slipPattern,
  toolsKeys,
  topKeys,
  typesWith,
} from './known-keys.ts';

const common = {
  timeout: z
    .number()
    .min(shortestTimeout)
    .optional()
    .describe(`Deadline in milliseconds, not seconds; default ${defaultTimeout}.`),
  name: z
    .string()
    .optional()
    .describe('The name under which the hook is reported, enabled and disabled.'),
  description: z.string().optional().describe('For human readers.'),
  onFailure: z
    .enum(['allow', 'block', 'continue'])
    .optional()
    .describe(
      'What a failure of the hook means: "allow" (the default, unless defaultOnFailure says otherwise) warns and continues; "block" blocks, as a denial by the hook would. "continue" is read as "allow".',
    ),
  if: z
    .string()
    .regex(/\S/)
    .optional()
    .describe(
      'A permission rule, such as "Bash(git push *)": the hook runs only for calls that match it. In .hookmachine/settings.json.',
    ),
  once: z
    .boolean()
    .optional()
    .describe('true: the hook runs once per session. In .hookmachine/settings.json.'),
  idempotent: z
    .boolean()
    .optional()
    .describe(
      'true: starting the hook again for the same event does no harm, so in a durable call, one that was cut off is run again. In .hookmachine/settings.json.',
    ),
  async: z
    .boolean()
    .optional()
    .describe(
      'true: the hook is started and not waited for. It decides nothing; what it has for the model is reported with the next prompt or model call. In .hookmachine/settings.json.',
    ),
};

/** Keys that only a hook that starts a process for each event may have. */
const ofProcesses = {
  leftBehind: z
    .enum(['end-group', 'end', 'leave'])
    .optional()
    .describe(
      'What happens to processes that the hook leaves behind when it ends in time: "end-group" (the default) ends those in its process group but spares daemons with their own session, "end" ends daemons too, "leave" ends nothing. A hook that overruns its deadline leaves nothing behind.',
    ),
  prestart: z
    .boolean()
    .optional()
    .describe(
      'true: the hook does nothing before it has read its input, so a process of its command may be started before the event and wait on stdin.',
    ),
};

/** Declares keys that may occur with any value and mean nothing to us. */
const whatever = (keys: readonly string[]): Record<string, z.ZodOptional<z.ZodUnknown>> =>
  Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]));

const foreignHook = whatever(
  foreignHookKeys.filter((key) => typesWith(key, ownKinds).length === 0),
);

const written = z.string().regex(/\S/);
const texts = z.array(z.string());
const args = texts
  .optional()
  .describe(
    'The arguments of the program that "command" names, which is then started without a shell.',
  );

const stream = z
  .strictObject({
    holdBack: z
      .int()
      .min(0)
      .max(mostHeldBack)
      .describe('The most characters that the hook may hold back.'),
  })
  .optional()
  .describe(
    'For an AfterModel hook: it gets the text of the answer as it arrives and may change it, so the text need not wait for the whole answer.',
  );

const own = 'In .hookmachine/settings.json: ';

/** One hook of a group. */
const hookSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('command').describe('A shell command.'),
      command: z
        .string()
        .regex(/\S/)
        .describe(
          'The shell command, run in the project folder. $LLXPRT_PROJECT_DIR names that folder.',
        ),
      args,
      ...common,
      ...ofProcesses,
      ...foreignHook,
    }),
    z.strictObject({
      type: z
        .literal('live')
        .describe(`${own}a process that keeps running, one JSON line in and one out.`),
      command: written.describe('The shell command or, with "args", the program.'),
      args,
      concurrency: z.int().min(1).optional().describe('How many events it handles at once.'),
      stream,
      ...common,
      ...foreignHook,
    }),
    z.strictObject({
      type: z.literal('module').describe(`${own}a function that a file exports.`),
      module: written.describe('The path of the file, inside the project folder.'),
      stream,
      ...common,
      ...foreignHook,
    }),
    z.strictObject({
      type: z.literal('http').describe(`${own}a server.`),
      url: z
        .string()
        .regex(/^https?:\/\/[^@\s]+$/)
        .describe('The URL to which the event is posted.'),
      headers: z
        .record(z.string(), z.string())
        .optional()
        .describe('Headers to send; they may use $VARIABLES.'),
      allowedEnv: texts.optional().describe('The variables that headers may use.'),
      allowedUrls: texts
        .optional()
        .describe('The URLs that it may post to; "*" stands for any text.'),
      retries: z
        .int()
        .min(0)
        .max(mostRetries)
        .optional()
        .describe('How many times an unavailable server is asked again, within the deadline.'),
      tokenFile: written
        .optional()
        .describe('A file that holds a token, which is sent as "Authorization: Bearer …".'),
      tls: z
        .strictObject({
          ca: written.optional().describe('The only certificate authorities that are trusted.'),
          cert: written.optional().describe('The client certificate.'),
          key: written.optional().describe('Its key.'),
        })
        .optional()
        .describe('Files in PEM format, for a server that authenticates its clients.'),
      ...common,
      ...foreignHook,
    }),
    z.strictObject({
      type: z.literal('prompt').describe(`${own}a question for the host's model.`),
      prompt: written.describe('What the model should judge; $ARGUMENTS stands for the event.'),
      model: z.string().optional().describe("The model; default: the host's choice."),
      ...common,
      ...foreignHook,
    }),
    z.strictObject({
      type: z.literal('plugin').describe('Reserved: accepted, but it cannot run.'),
      command: z.unknown().optional(),
      ...common,
      ...ofProcesses,
      ...foreignHook,
    }),
  ])
  .meta({ id: 'hook', description: 'One hook.' });

/** A hook group. */
const groupSchema = z
  .strictObject({
    matcher: z
      .string()
      .optional()
      .describe(
        'A regular expression tested, unanchored, against the tool name. Absent, empty or "*" matches every tool. For session events it must equal the source, reason or trigger.',
      ),
    sequential: z
      .boolean()
      .optional()
      .describe('true: the hooks run one after another, each seeing what those before it changed.'),
    hooks: z.array(hookSchema).describe('The hooks of this group.'),
    ...whatever(foreignGroupKeys),
  })
  .meta({ id: 'hookGroup', description: 'A hook group.' });

/** A checked hook of the settings. */
export interface HookEntry {
  readonly type: HookType;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnv?: readonly string[];
  readonly allowedUrls?: readonly string[];
  readonly retries?: number;
  readonly tokenFile?: string;
  readonly tls?: TlsFiles;
  readonly module?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly concurrency?: number;
  readonly stream?: { readonly holdBack: number };
  readonly call?: HookFunction;
  readonly timeout?: number;
  readonly name?: string;
  readonly description?: string;
  readonly onFailure?: 'allow' | 'block' | 'continue';
  readonly leftBehind?: LeftBehind;
  readonly prestart?: boolean;
  readonly if?: string;
  readonly once?: boolean;
  readonly idempotent?: boolean;
  readonly async?: boolean;
}

/** A checked hook group of the settings, whose hooks are not yet checked. */
export interface OpenGroup {
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly hooks: readonly unknown[];
}

const groups = z.array(groupSchema);

const flag = z
  .boolean()
  .describe(
    'true switches hooks on; default false. false switches off the hooks of this file and of weaker ones (system, user, project, extension), whatever those say.',
  );

const defaultOnFailure = z
  .enum(['allow', 'block', 'continue'])
  .describe(
    'What a failure means for hooks without their own onFailure, in this file and in weaker ones. A "block" in a stronger file wins.',
  )
  .optional();

const redact = z
  .array(z.string())
  .describe(
    'What recordings and the inspector never show: names of keys, whose values are hidden, and expressions "/…/flags", whose matches are.',
  )
  .optional();

const disabled = z
  .array(z.string())
  .describe('Names or commands of hooks, in this file and in weaker ones, that do not run.')
  .optional();

const recheck = z
  .boolean()
  .describe(
    'true: where hooks change the arguments of a tool, or a request to the model, after others have judged them or in parallel, those others are asked again about what would now run. They may deny or ask, but not change anything.',
  )
  .optional();

const opaqueCommands = z
  .enum(['allow', 'refuse'], 'write "allow" or "refuse"')
  .describe(
    'How "hookmachine trust" treats a hook of a project of which not all that it runs can be found by reading its command: "allow" (the default) lets it run while what was found is unchanged, "refuse" never runs it. Counts only in the settings of the user and the system.',
  )
  .optional();

const duration = z.string().regex(/^\d+(?:ms|s|m|h|d)$/);

const durable = z
  .strictObject({
    database: z
      .string()
      .describe(
        'The URL of a PostgreSQL database, or the name of a variable that holds it, such as "$HOOKMACHINE_DATABASE_URL".',
      )
      .optional(),
    workspace: z
      .string()
      .regex(/\S/)
      .describe('What tools act on, unless an option names it.')
      .optional(),
    expiresAfter: duration
      .describe('How long a question waits for its answer; default "7d".')
      .optional(),
    lostAfter: duration
      .describe('A host that is silent for this long counts as ended; default "60s".')
      .optional(),
    concurrency: z
      .int()
      .min(1)
      .describe('How many calls a worker works on at once; default 8.')
      .optional(),
    workspaceConcurrency: z
      .int()
      .min(1)
      .describe(
        'How many calls of the workspace all workers together work on at once; default: no limit.',
      )
      .optional(),
  })
  .describe(
    "Durable calls. Counts only in the user's .hookmachine/settings.json and in the system's settings of hookmachine.",
  )
  .optional();

const managed = z
  .strictObject({
    onlyManagedHooks: z
      .boolean()
      .describe("true: only hooks from administrators' files run.")
      .optional(),
    defaultOnFailure: z
      .enum(['allow', 'block'])
      .describe(
        '"block": a failure of a hook denies, whatever users and projects say about theirs. "allow" has no effect.',
      )
      .optional(),
    forbid: z
      .array(z.enum(forbiddable))
      .describe('Command options and environment variables that have no effect.')
      .optional(),
    redact,
    requireVersion: z
      .string()
      .regex(/^\d+\.\d+\.\d+$/)
      .describe(
        'The lowest acceptable version of hookmachine; with an older one, prompts, model calls and tools are denied.',
      )
      .optional(),
    bundles: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('The name of the bundle.'),
          signer: z
            .string()
            .min(1)
            .describe('Who must have signed it: a name in /etc/hookmachine/allowed_signers.'),
          version: z
            .string()
            .regex(/^\d+\.\d+\.\d+$/)
            .describe('The lowest acceptable version.')
            .optional(),
          onFailure: z
            .enum(['allow', 'block'])
            .describe(
              '"block": while it is missing or may not run, prompts, model calls and tools are denied. Default: what a failure of the system\'s hooks means.',
            )
            .optional(),
        }),
      )
      .describe('Signed bundles of hooks that this machine must have for all its users.')
      .optional(),
    audit: z
      .union([
        z.boolean(),
        z.strictObject({
          file: z
            .string()
            .regex(/^\//)
            .describe('A file to append to; "%u" stands for the user.')
            .optional(),
          maxBytes: z
            .int()
            .min(4_096)
            .describe('The size at which a new file is started.')
            .optional(),
          keep: z.int().min(0).describe('How many old files are kept.').optional(),
          syslog: z
            .union([z.literal(true), z.string().regex(/^\//)])
            .describe("true: the system's log. A path: the log behind this socket.")
            .optional(),
          opentelemetry: z
            .union([
              z.literal(true),
              z.strictObject({
                endpoint: z
                  .string()
                  .regex(/^https?:\/\/[^/]/)
                  .optional(),
                headers: z.record(z.string(), z.string()).optional(),
                timeout: z
                  .int()
                  .min(1)
                  .describe('How long it may take to accept what is sent, in ms.')
                  .optional(),
              }),
            ])
            .describe(
              'Sends spans and metrics to a collector that speaks OTLP over HTTP; true: the one that the environment names.',
            )
            .optional(),
        }),
      ])
      .describe(
        "Records every session without payloads: true in the system's log, else where the object says.",
      )
      .optional(),
  })
  .describe(
    "What no weaker settings can change; only in an administrator's settings, /etc/hookmachine/settings.json and settings.d/*.json.",
  )
  .optional();

/** The part of settings.json that concerns hooks. */
const settingsSchema = z
  .looseObject({
    $schema: z.string().optional(),
    tools: z.looseObject({ enableHooks: flag.optional() }).optional(),
    enableHooks: flag.optional(),
    defaultOnFailure,
    managed,
    hooksConfig: z
      .strictObject({
        enabled: flag.optional(),
        disabled,
        redact,
        defaultOnFailure,
        recheck,
        opaqueCommands,
        durable,
        notifications: z.unknown().optional(),
      })
      .optional(),
    hooks: z
      .strictObject({
        ...(Object.fromEntries(
          [...allEvents, ...Object.keys(hookPoints)].map((event) => [event, groups.optional()]),
        ) as Record<HookEventName, z.ZodOptional<typeof groups>>),
        enabled: flag.optional(),
        disabled,
        notifications: z.unknown().optional(),
      })
      .describe('Hook groups by event.')
      .optional(),
  })
  .describe(
    'Settings for hooks: .hookmachine/settings.json, and those of LLxprt Code as far as hookmachine reads them.',
  );

/** The settings that hookmachine reads. */
export type Settings = z.infer<typeof settingsSchema>;

/** A hook that is a function in the program that embeds the engine. */
export interface FunctionHook extends Pick<
  HookEntry,
  'timeout' | 'name' | 'description' | 'onFailure'
> {
  readonly type: 'function';
  /** Receives the event, and returns what a command would print, or nothing. */
  readonly call: HookFunction;
}

type Groups = z.infer<typeof groups>;

/** Settings in code, in which a hook may also be a function. */
export interface SettingsInCode extends Pick<Settings, 'tools' | 'hooksConfig'> {
  readonly enableHooks?: boolean;
  readonly defaultOnFailure?: 'allow' | 'block';
  readonly hooks: {
    readonly [Event in HookEventName]?: readonly (Omit<Groups[number], 'hooks'> & {
      readonly hooks: readonly (Groups[number]['hooks'][number] | FunctionHook)[];
    })[];
  };
}

/**
 * Returns the JSON Schema of the settings, for editors. It rejects the same keys, at the same places, that
 * are reported when settings are read.
 */
export function settingsJsonSchema(): object {
  const schema = z.toJSONSchema(settingsSchema, {
    target: 'draft-7',
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false)
        jsonSchema.patternProperties = { [commentKey.source]: {} };
    },
  });
  const hooks = schema.properties?.['hooks'] as typeof schema;
  hooks.patternProperties = {
    ...hooks.patternProperties,
    // Events that exist only in one host.
    '^host\\.[\\w.-]+$': hooks.properties!['BeforeTool']!,
  };
  const tools = schema.properties?.['tools'] as typeof schema;
  tools.patternProperties = refused(toolsKeys.map(slipPattern));
  schema.patternProperties = refused([
    ...topKeys.map(slipPattern),
    `^(?:${misplacedTopKeys.join('|')})$`,
  ]);
  return { ...schema, title: 'hookmachine settings' };
}

const refused = (patterns: readonly string[]): Record<string, false> =>
  Object.fromEntries(patterns.map((pattern) => [pattern, false]));
