import { HookmachineError } from './errors.ts';
import { isRecord } from './json.ts';
import { said } from './message-of.ts';

/** What a value must be, and what its author should write instead. */
export interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly fix: string;
}

export const text: Rule = {
  fits: (value) => typeof value === 'string' && value.trim() !== '',
  fix: 'pass a string that is not empty',
};
export const anyText: Rule = { fits: (value) => typeof value === 'string', fix: 'pass a string' };
export const flag: Rule = {
  fits: (value) => typeof value === 'boolean',
  fix: 'pass true or false',
};
export const object: Rule = { fits: isRecord, fix: 'pass an object' };
export const list: Rule = { fits: Array.isArray, fix: 'pass an array' };
export const callback: Rule = {
  fits: (value) => typeof value === 'function',
  fix: 'pass a function',
};
export const positive: Rule = {
  fits: (value) => typeof value === 'number' && value > 0,
  fix: 'pass a number above 0',
};
export const count: Rule = {
  fits: (value) => Number.isInteger(value) && (value as number) >= 0,
  fix: 'pass a whole number of at least 0',
};

/** A value that has these methods, of whatever class. */
export const having = (fix: string, ...methods: readonly string[]): Rule => ({
  fits: (value) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  fix,
});

export const aConfig: Rule = having(
  'pass what createConfig returns',
  'getHookSystem',
  'getWorkingDir',
);
const isMap = having('', 'get', 'has').fits;
export const someTools: Rule = {
  fits: (value) =>
    Array.isArray(value)
      ? value.every((tool) => isRecord(tool) && text.fits(tool['name'])) &&
        new Set(value.map(({ name }: { name: string }) => name)).size === value.length
      : isMap(value),
  fix: 'pass an array of tools, each with a name of its own, or a Map of tools by name',
};

export const oneOf = (...words: readonly string[]): Rule => ({
  fits: (value) => words.includes(value as string),
  fix: `pass one of ${words.map((word) => `"${word}"`).join(', ')}`,
});

export const optional = ({ fits, fix }: Rule): Rule => ({
  fits: (value) => value === undefined || fits(value),
  fix: `${fix}, or leave it out`,
});

/**
 * Checks what a program has passed: in plain JavaScript, types say nothing, and a value that is taken for
 * another could cost a denial.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID`, which names the first wrong field and its fix
 */
export function assertArguments(
  what: string,
  given: unknown,
  rules: Readonly<Record<string, Rule>>,
): void {
  if (typeof given !== 'object' || given === null)
    throw wrong(`${what}: what was passed ${said(given)}`, object.fix);
  for (const [field, { fits, fix }] of Object.entries(rules)) {
    const value = (given as Readonly<Record<string, unknown>>)[field];
    if (!fits(value)) throw wrong(`${what}: "${field}" ${said(value)}`, fix);
  }
}

/**
 * Checks an argument that stands alone.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID`, which names the argument and its fix
 */
export function assertArgument(what: string, value: unknown, { fits, fix }: Rule): void {
  if (!fits(value)) throw wrong(`${what} ${said(value)}`, fix);
}

const wrong = (found: string, fix: string): HookmachineError =>
  new HookmachineError('ARGUMENT_INVALID', `${found}; ${fix}.`);
