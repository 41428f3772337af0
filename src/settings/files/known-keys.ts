import { hookEventNames, isHookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { HookType } from '../../core/definitions/hook-definition.ts';
import { said } from '../../base/message-of.ts';

/** Keys under `hooks` that are not events but used to be settings. */
export const reserved: readonly string[] = ['enabled', 'disabled', 'notifications'];

/** The hook types that our own settings support. */
export const ownKinds: readonly HookType[] = ['command', 'live', 'module', 'http', 'prompt'];

/** Keys of `hooksConfig`. */
export const hooksConfigKeys: readonly string[] = [
  'enabled',
  'disabled',
  'redact',
  'defaultOnFailure',
  'recheck',
  'opaqueCommands',
  'durable',
  'notifications',
];

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

/** Matches keys that people use for comments where the format has none. */
export const commentKey = /^(?:\/\/|[$#])|^_?comments?$/;

/** Our top-level keys of a settings file, which the host's own keys share. */
export const topKeys: readonly string[] = [
  'hooks',
  'hooksConfig',
  'enableHooks',
  'defaultOnFailure',
  'managed',
  'tools',
];

/** Our only key in `tools`, which the host's own keys share. */
export const toolsKeys: readonly string[] = ['enableHooks'];

/** Our keys that belong deeper in the file and mean nothing at its top level. */
export const misplacedTopKeys: readonly string[] = [...hookEventNames, 'redact'];

/** Returns the key that such a misplaced key belongs under. */
export const placeOfTopKey = (key: string): string =>
  isHookEventName(key) ? 'hooks' : 'hooksConfig';

/** Other spellings of our keys that are more than one letter away from them. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  hooksConfig: [
    'hookConfigs',
    'hookConfiguration',
    'hooksConfiguration',
    'hookSettings',
    'hooksSettings',
  ],
  enableHooks: ['hooksEnabled', 'hookEnabled', 'enabledHook'],
};

/**
 * Returns the key that another one is a typo of: the two differ in case, in how words are separated, or in
 * one letter that is missing, extra, wrong, or swapped with its neighbour.
 */
export function slipOf(key: string, keys: readonly string[]): string | undefined {
  if (keys.includes(key) || key.length > 100 || !/^[\w. -]+$/.test(key)) return undefined;
  const written = letters(key);
  return keys.find(
    (known) =>
      isOneSlip(written, letters(known)) ||
      otherWords[known]?.some((word) => letters(word) === written),
  );
}

const letters = (key: string): string => key.replaceAll(/[-_ .]/g, '').toLowerCase();

function isOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)];
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left[0] === right[1] && left[1] === right[0] && right.length === 2)
  );
}

/** Returns the same check as a regular expression, because a schema can express nothing else. */
export function slipPattern(key: string): string {
  const word = letters(key);
  const variants = new Set<string>([word]);
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    variants.add(`${before}?${after}`);
    if (after === '') continue;
    variants.add(before + after.slice(1));
    variants.add(`${before}?${after.slice(1)}`);
    if (after.length > 1) variants.add(before + after[1]! + after[0]! + after.slice(2));
  }
  for (const other of otherWords[key] ?? []) variants.add(letters(other));
  const gap = '[-_ .]*';
  const any = (variant: string): string =>
    Array.from(variant, (letter) =>
      letter === '?' ? '[a-zA-Z0-9]' : `[${letter}${letter.toUpperCase()}]`,
    ).join(gap);
  return `^(?!${key}$)${gap}(?:${[...variants].map(any).join('|')})${gap}$`;
}

/** How a settings field is checked. */
export interface Field {
  readonly fits: (value: unknown) => boolean;
  /** Says what is wrong with an invalid value; default: what the value is. */
  readonly fault?: (value: unknown) => string;
  /** What the user can do about an invalid value. */
  readonly fix: string;
  /** What happens when an optional field is invalid; default: it was ignored. */
  readonly fate?: string;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isWritten = (value: unknown): boolean => typeof value === 'string' && /\S/.test(value);

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The fields that every hook may have. */
const commonFields = {
  timeout: {
    fits: (timeout) => Number.isFinite(timeout) && (timeout as number) > 0,
    fix: 'make it a positive number of milliseconds',
  },
  name: { fits: isText, fix: 'make it a string' },
  description: { fits: isText, fix: 'make it a string' },
  onFailure: {
    fits: (onFailure) => ['allow', 'block', 'continue'].includes(onFailure as string),
    fix: 'write "allow" or "block"',
    fate: 'it counts as "block"',
  },
} as const satisfies Record<string, Field>;

const commandField: Field = {
  fits: isWritten,
  fix: 'write the shell command to run: "command": "…"',
};

const isCount = (value: unknown, least: number): boolean =>
  Number.isInteger(value) && (value as number) >= least;

/**
 * The most characters that a hook on streamed text can hold back; one that wants more wants the whole answer.
 */
export const mostHeldBack = 100_000;

const isHoldBack = (value: unknown): boolean => isCount(value, 0) && Number(value) <= mostHeldBack;

const streamField: Field = {
  fits: (stream) =>
    isRecord(stream) && Object.keys(stream).join() === 'holdBack' && isHoldBack(stream['holdBack']),
  fault(stream) {
    if (!isRecord(stream)) return said(stream);
    const { holdBack, ...others } = stream;
    const [other] = Object.keys(others);
    if (other !== undefined) return `has the unknown key ${JSON.stringify(other)}`;
    return holdBack === undefined ? 'has no "holdBack"' : `has a "holdBack" that ${said(holdBack)}`;
  },
  fix: `make it { "holdBack": N }, where N is how many characters the hook may hold back, from 0 to ${mostHeldBack}`,
  fate: 'the hook is given the whole answer',
};

const argsField: Field = {
  fits: areTexts,
  fix: 'make it an array of strings: the arguments of the program that "command" names',
};

/** The fields of a hook that starts a process for each event. */
const processFields: Readonly<Record<string, Field>> = {
  leftBehind: {
    fits: (leftBehind) => ['end-group', 'end', 'leave'].includes(leftBehind as string),
    fix: 'write "end-group", "end" or "leave"',
    fate: 'it counts as "end-group"',
  },
  prestart: {
    fits: (prestart) => typeof prestart === 'boolean',
    fix: 'make it true or false',
  },
};

/** The fields that say when and how often a hook runs, besides its event and matcher. */
const whenFields: Readonly<Record<string, Field>> = {
  if: {
    fits: isWritten,
    fix: 'write a permission rule, such as "Bash(git push *)"',
    fate: 'the hook runs for everything its matcher matches',
  },
  once: { fits: (once) => typeof once === 'boolean', fix: 'make it true or false' },
  idempotent: {
    fits: (isIdempotent) => typeof isIdempotent === 'boolean',
    fix: 'make it true or false',
    fate: 'it is not run again',
  },
  async: {
    fits: (isAsync) => typeof isAsync === 'boolean',
    fix: 'make it true or false',
    fate: 'the hook is waited for',
  },
};

/** The highest number of retries that can be configured. */
export const mostRetries = 10;

const areTlsFiles = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(
    ([key, path]) =>
      commentKey.test(key) || (['ca', 'cert', 'key'].includes(key) && isWritten(path)),
  );

/** For each type, the field that says what the hook runs, and the fields that only this type has. */
const ownFields: Readonly<
  Record<HookType, { readonly main?: string; readonly fields: Readonly<Record<string, Field>> }>
> = {
  command: { main: 'command', fields: { command: commandField, ...processFields } },
  plugin: { fields: { command: commandField, ...processFields } },
  live: {
    main: 'command',
    fields: {
      command: commandField,
      args: argsField,
      concurrency: {
        fits: (count) => isCount(count, 1),
        fix: 'make it a whole number of at least 1',
        fate: 'the hook handles one event at a time',
      },
      stream: streamField,
    },
  },
  module: {
    main: 'module',
    fields: {
      module: {
        fits: isWritten,
        fix: 'write the path of the file that exports the hook: "module": "./hooks/guard.mjs"',
      },
      stream: streamField,
    },
  },
  http: {
    main: 'url',
    fields: {
      url: {
        fits: isPlainUrl,
        fix: 'write a URL that begins with https:// or http:// and holds no password: "url": "https://…"',
      },
      headers: {
        fits: (headers) => isRecord(headers) && Object.values(headers).every(isText),
        fix: 'make it an object of strings: { "Authorization": "Bearer $TOKEN" }',
      },
      allowedEnv: {
        fits: areTexts,
        fix: 'make it an array of the names of variables that headers may use',
        fate: 'headers may not use any variables',
      },
      allowedUrls: {
        fits: areTexts,
        fix: 'make it an array of URLs, in which "*" stands for any text',
      },
      retries: {
        fits: (count) =>
          Number.isInteger(count) && (count as number) >= 0 && (count as number) <= mostRetries,
        fix: `make it a whole number from 0 to ${mostRetries}`,
        fate: 'the server is asked once',
      },
      tokenFile: {
        fits: isWritten,
        fix: 'write the path of a file that holds a token',
      },
      tls: {
        fits: areTlsFiles,
        fix: 'make it an object of paths: { "ca": "…", "cert": "…", "key": "…" }',
      },
    },
  },
  prompt: {
    main: 'prompt',
    fields: {
      prompt: {
        fits: isWritten,
        fix: 'write what the model should judge, with $ARGUMENTS in place of the event: "prompt": "…"',
      },
      model: { fits: isText, fix: 'make it a string' },
    },
  },
  function: {
    main: 'call',
    fields: { call: { fits: (call) => typeof call === 'function', fix: 'make it a function' } },
  },
};

function isPlainUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const isKind = (type: unknown, kinds: readonly HookType[]): type is HookType =>
  kinds.includes(type as HookType);

/**
 * Returns the fields of a hook of this type if hooks may have these types.
 */
export function fieldsOf(
  type: unknown,
  kinds: readonly HookType[],
): { readonly needed: readonly string[]; readonly fields: Readonly<Record<string, Field>> } {
  const named = kinds.filter((kind) => kind !== 'plugin' && kind !== 'function');
  const words = named.map((kind) => JSON.stringify(kind)).join(', ');
  const { main, fields } = ownFields[isKind(type, kinds) ? type : 'command'];
  return {
    needed: ['type', ...(main === undefined ? [] : [main])],
    fields: {
      type: {
        fits: (given) => isKind(given, kinds),
        fix: named.length === 1 ? `write "type": ${words}` : `write one of ${words} as its "type"`,
      },
      // The main field comes first wherever keys are listed for people.
      ...(main !== undefined && { [main]: fields[main]! }),
      ...commonFields,
      ...fields,
      // Only hosts that support more than shell commands start a program without a shell.
      ...(kinds.includes('live') && {
        ...whenFields,
        ...(type === 'command' && { args: argsField }),
      }),
    },
  };
}

/** Returns those of these hook types that have such a field. */
export const typesWith = (key: string, kinds: readonly HookType[]): readonly HookType[] =>
  kinds.filter((kind) => Object.hasOwn(fieldsOf(kind, kinds).fields, key));

/** The fields of a hook group. */
export const groupFields = {
  matcher: { fits: isText, fix: 'make it a string: a regular expression for tool names' },
  sequential: {
    fits: (sequential) => typeof sequential === 'boolean',
    fix: 'make it true or false',
  },
  hooks: {
    fits: Array.isArray,
    fix: 'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
  },
} as const satisfies Record<string, Field>;

/**
 * No hook that starts a process can meet a deadline shorter than this, in ms: the author must have meant
 * seconds.
 */
export const shortestTimeout = 100;

/** A hook's deadline in ms if its definition has no usable one. */
export const defaultTimeout = 60_000;
