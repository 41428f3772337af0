import { isRecord } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a field of an answer must be: a test, and the words for it. */
export interface Form {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

/** The fields that an object may have. */
export type Forms = Readonly<Record<string, Form>>;

export const text: Form = { fits: (value) => typeof value === 'string', wanted: 'a string' };
export const flag: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
export const object: Form = { fits: isRecord, wanted: 'an object' };
export const anything: Form = { fits: () => true, wanted: 'a value' };
export const texts: Form = {
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  wanted: 'an array of strings',
};
export const oneOf = (...words: readonly string[]): Form => ({
  fits: (value) => words.includes(value as string),
  wanted: `exactly one of ${words.join(', ')}`,
});
export const orNull = ({ fits, wanted }: Form): Form => ({
  fits: (value) => value === null || fits(value),
  wanted,
});

/** The first of an object's fields that has another form, in the order of the forms. */
export const firstWrong = (forms: Forms, fields: Fields): string | undefined =>
  Object.keys(forms).find(
    (name) => Object.hasOwn(fields, name) && !forms[name]!.fits(fields[name]),
  );
