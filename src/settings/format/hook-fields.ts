import type { HookFunction } from '../../../machines/hook-process.ts';
import type { HookType } from '../../core/definitions/hook-definition.ts';
import {
  failureWord,
  type Field,
  type Fields,
  field,
  flag,
  texts,
  type ValuesOf,
  written,
} from './field.ts';
import { serverFields, serverUrl } from './server-fields.ts';
import * as z from './zod.ts';

/** The hook types that our own settings support. */
export const ownKinds = [
  'command',
  'live',
  'module',
  'http',
  'prompt',
  'cedar',
  'acs',
] as const satisfies readonly HookType[];

/** Keys of a hook that other hosts read but that mean nothing here. */
export const foreignHookKeys: readonly string[] = [
  'env',
  'args',
  'cwd',
  'package',
  'async',
  'asyncRewake',
  'once',
  'if',
  'shell',
  'statusMessage',
  'url',
  'headers',
  'allowedEnvVars',
  'prompt',
  'model',
];

/** Keys of a group that are meant only for people. */
export const foreignGroupKeys: readonly string[] = ['description'];

/**
 * No hook that starts a process can meet a deadline shorter than this, in ms: the author must have meant
 * seconds.
 */
export const shortestTimeout = 100;

/** A hook's deadline in ms if its definition has no usable one. */
export const defaultTimeout = 60_000;

/**
 * The most characters that a hook on streamed text can hold back; one that wants more wants the whole answer.
 */
export const mostHeldBack = 100_000;

/** The fields that every hook may have. */
export const commonFields = {
  timeout: field(() => z.number().check(z.positive()), {
    about: `Deadline in milliseconds, not seconds; default ${defaultTimeout}.`,
    fix: 'make it a positive number of milliseconds',
    advice: { minimum: shortestTimeout },
  }),
  name: field(() => z.string(), {
    about: 'The name under which the hook is reported, enabled and disabled.',
    fix: 'make it a string',
  }),
  description: field(() => z.string(), {
    about: 'For human readers.',
    fix: 'make it a string',
  }),
  onFailure: field(failureWord, {
    about:
      'What a failure of the hook means: "allow" (the default, unless defaultOnFailure says otherwise) warns and continues; "block" blocks, as a denial by the hook would. "continue" is read as "allow".',
    fix: 'write "allow" or "block"',
    fate: 'it counts as "block"',
  }),
} as const satisfies Fields;

/** The fields that say when and how often a hook runs, besides its event and matcher. */
export const whenFields = {
  if: field(written, {
    about:
      'A permission rule, such as "Bash(git push *)": the hook runs only for calls that match it. In .hookmachine/settings.json.',
    fix: 'write a permission rule, such as "Bash(git push *)"',
    fate: 'the hook runs for everything its matcher matches',
  }),
  once: flag('true: the hook runs once per session. In .hookmachine/settings.json.'),
  idempotent: flag(
    'true: starting the hook again for the same event does no harm, so in a durable call, one that was cut off is run again. In .hookmachine/settings.json.',
    'it is not run again',
  ),
  async: flag(
    'true: the hook is started and not waited for. It decides nothing; what it has for the model is reported with the next prompt or model call. In .hookmachine/settings.json.',
    'the hook is waited for',
  ),
} as const satisfies Fields;

/** The fields of a hook that starts a process for each event. */
const processFields = {
  leftBehind: field(() => z.enum(['end-group', 'end', 'leave']), {
    about:
      'What happens to processes that the hook leaves behind when it ends in time: "end-group" (the default) ends those in its process group but spares daemons with their own session, "end" ends daemons too, "leave" ends nothing. A hook that overruns its deadline leaves nothing behind.',
    fix: 'write "end-group", "end" or "leave"',
    fate: 'it counts as "end-group"',
  }),
  prestart: flag(
    'true: the hook does nothing before it has read its input, so a process of its command may be started before the event and wait on stdin.',
  ),
} as const satisfies Fields;

const command = field(written, {
  about:
    'The shell command, run in the project folder. $HOOKMACHINE_PROJECT_DIR names that folder.',
  fix: 'write the shell command to run: "command": "…"',
});

const args = field(texts, {
  about:
    'The arguments of the program that "command" names, which is then started without a shell.',
  fix: 'make it an array of strings: the arguments of the program that "command" names',
});

const stream = field(
  () =>
    z.strictObject({
      holdBack: z
        .int()
        .check(
          z.minimum(0),
          z.maximum(mostHeldBack),
          z.describe('The most characters that the hook may hold back.'),
        ),
    }),
  {
    about:
      'For an AfterModel hook: it gets the text of the answer as it arrives and may change it, so the text need not wait for the whole answer.',
    fix: `make it { "holdBack": N }, where N is how many characters the hook may hold back, from 0 to ${mostHeldBack}`,
    fate: 'the hook is given the whole answer',
  },
);

const entityTemplate = (about: string) =>
  z.string().check(z.regex(/^\w+(?:::\w+)*::".+"$/), z.describe(about));

const own = 'In .hookmachine/settings.json: ';

/** What a hook of one type is, the field that says what it runs, and the fields that only this type has. */
interface TypeFields {
  readonly about: string;
  readonly main: Fields;
  readonly others: Fields;
}

/** The hook types that settings can have. */
export const typeFields = {
  command: {
    about: 'A shell command.',
    main: { command },
    others: processFields,
  },
  live: {
    about: `${own}a process that keeps running, one JSON line in and one out.`,
    main: { command },
    others: {
      args,
      concurrency: field(() => z.int().check(z.minimum(1)), {
        about: 'How many events it handles at once.',
        fix: 'make it a whole number of at least 1',
        fate: 'the hook handles one event at a time',
      }),
      stream,
    },
  },
  module: {
    about: `${own}a function that a file exports.`,
    main: {
      module: field(written, {
        about: 'The path of the file, inside the project folder.',
        fix: 'write the path of the file that exports the hook: "module": "./hooks/guard.mjs"',
      }),
    },
    others: { stream },
  },
  http: { about: `${own}a server.`, main: serverUrl, others: serverFields },
  acs: {
    about: `${own}a Guardian of the OWASP Agent Control Standard.`,
    main: serverUrl,
    others: {
      ...serverFields,
      agent: field(written, {
        about: 'What the agent is called in requests; default "hookmachine".',
        fix: 'write a name',
      }),
      secretFile: field(written, {
        about: 'The file of the secret that messages are signed with (HMAC-SHA256).',
        fix: 'write the path of a file that holds a secret',
      }),
    },
  },
  prompt: {
    about: `${own}a question for the host's model.`,
    main: {
      prompt: field(written, {
        about: 'What the model should judge; $ARGUMENTS stands for the event.',
        fix: 'write what the model should judge, with $ARGUMENTS in place of the event: "prompt": "…"',
      }),
    },
    others: {
      model: field(() => z.string(), {
        about: "The model; default: the host's choice.",
        fix: 'make it a string',
      }),
    },
  },
  cedar: {
    about: `${own}policies in the Cedar language.`,
    main: {
      policies: field(written, {
        about:
          'The file or folder of policies (*.cedar): relative to the project folder in project settings, otherwise to the folder of the settings file or the bundle.',
        fix: 'write the path of a file or folder of policies: "policies": "policies/"',
      }),
    },
    others: {
      schema: field(written, {
        about:
          'The Cedar schema that "check" uses; default: the one that "hookmachine schema --cedar" prints.',
        fix: 'write the path of a Cedar schema',
      }),
      entities: field(written, {
        about: 'A JSON file of entities that policies refer to, such as groups of users.',
        fix: 'write the path of a JSON file of entities',
      }),
      default: field(() => z.enum(['deny', 'none']), {
        about:
          'What counts where no policy matches: "none" (the default) is no opinion, "deny" is an allow-list.',
        fix: 'write "deny" or "none"',
        fate: 'it counts as "deny"',
      }),
      request: field(
        () =>
          z.strictObject({
            principal: z.exactOptional(entityTemplate('Who acts.')),
            action: z.exactOptional(entityTemplate('What is done.')),
            resource: z.exactOptional(entityTemplate('What it is done to.')),
          }),
        {
          about:
            'For policies of other products: the names that they use, such as { "principal": "Client::\\"{user}\\"", "action": "Action::\\"call_tool\\"", "resource": "Tool::\\"{tool}\\"" }; {tool}, {server}, {agent}, {user}, {session}, {subagent}, {event} and {point} are filled in.',
          fix: 'make it an object of names in Cedar\'s notation: { "resource": "Tool::\\"{tool}\\"" }',
          fate: 'the hook was discarded',
        },
      ),
    },
  },
  plugin: {
    about: 'Reserved: accepted, but it cannot run.',
    main: {},
    others: {
      command: field(() => z.unknown(), { about: '', fix: 'remove it' }),
      ...processFields,
    },
  },
  function: {
    about: 'A function of the program that embeds the engine.',
    main: {
      call: field(() => z.custom<HookFunction>((call) => typeof call === 'function'), {
        about: 'The function.',
        fix: 'make it a function',
      }),
    },
    others: {},
  },
} as const satisfies Readonly<Record<HookType, TypeFields>>;

type Types = typeof typeFields;
type FieldsOf<Type extends keyof Types> = Types[Type]['main'] & Types[Type]['others'];

/** A checked hook of the settings. */
export interface HookEntry
  extends
    ValuesOf<typeof commonFields>,
    ValuesOf<typeof whenFields>,
    ValuesOf<FieldsOf<'command'>>,
    ValuesOf<FieldsOf<'live'>>,
    ValuesOf<FieldsOf<'module'>>,
    ValuesOf<FieldsOf<'http'>>,
    ValuesOf<FieldsOf<'prompt'>>,
    ValuesOf<FieldsOf<'cedar'>>,
    ValuesOf<FieldsOf<'acs'>>,
    ValuesOf<FieldsOf<'function'>> {
  readonly type: HookType;
}

/** The fields that a definition has as its author wrote them. */
export const asWritten = [
  'args', 'headers', 'allowedEnv', 'allowedUrls', 'retries', 'tokenFile', 'tls', 'model', 'concurrency',
  'stream', 'agent', 'secretFile', 'schema', 'entities', 'request', 'call', 'description',
] as const satisfies readonly (keyof HookEntry)[]; // prettier-ignore

const isKind = (type: unknown, kinds: readonly HookType[]): type is HookType =>
  kinds.includes(type as HookType);

/** Returns the fields of a hook of this type if hooks may have these types. */
export function fieldsOf(
  type: unknown,
  kinds: readonly HookType[],
): { readonly needed: readonly string[]; readonly fields: Fields } {
  const named = kinds.filter((kind) => kind !== 'plugin' && kind !== 'function');
  const words = named.map((kind) => JSON.stringify(kind)).join(', ');
  const { main, others }: TypeFields = typeFields[isKind(type, kinds) ? type : 'command'];
  const typeField: Field = field(() => z.enum(kinds), {
    about: 'What kind of hook it is.',
    fix: named.length === 1 ? `write "type": ${words}` : `write one of ${words} as its "type"`,
  });
  return {
    needed: ['type', ...Object.keys(main)],
    // The main field comes first wherever keys are listed for people.
    fields: {
      type: typeField,
      ...main,
      ...commonFields,
      ...others,
      // Only hosts that support more than shell commands start a program without a shell.
      ...(kinds.includes('live') && { ...whenFields, ...(type === 'command' && { args }) }),
    },
  };
}

/** Returns those of these hook types that have such a field. */
export const typesWith = (key: string, kinds: readonly HookType[]): readonly HookType[] =>
  kinds.filter((kind) => Object.hasOwn(fieldsOf(kind, kinds).fields, key));

/** The fields of a hook group, whose hooks are checked one by one. */
export const groupFields = {
  matcher: field(() => z.string(), {
    about:
      'A regular expression tested, unanchored, against the tool name. Absent, empty or "*" matches every tool. For session events it must equal the source, reason or trigger.',
    fix: 'make it a string: a regular expression for tool names',
  }),
  sequential: flag(
    'true: the hooks run one after another, each seeing what those before it changed.',
  ),
  hooks: field(() => z.array(z.unknown()), {
    about: 'The hooks of this group.',
    fix: 'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
  }),
} as const satisfies Fields;

/** A checked hook group of the settings, whose hooks are not yet checked. */
export interface OpenGroup extends ValuesOf<Omit<typeof groupFields, 'hooks'>> {
  readonly hooks: readonly unknown[];
}
