import { isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import { once } from '../../base/once.ts';
import * as z from './zod.ts';

/** A value of the settings: what it may be, what it means, and what is said of any other value. */
export interface Field<Schema extends z.ZodMiniType = z.ZodMiniType> {
  /** What it may be; made when a value is first checked, because most fields occur in no settings. */
  readonly schema: () => Schema;
  /** What it means, for editors; '' if it means nothing. */
  readonly about: string;
  /** What the user can do about an invalid value. */
  readonly fix: string;
  /** What happens when an optional field is invalid; default: it was ignored. */
  readonly fate?: string;
  /** Keywords of the JSON Schema that only advise: what breaks them is reported, and counts. */
  readonly advice?: Readonly<Record<string, unknown>>;
}

/** The fields of an object, by their keys. */
export type Fields = Readonly<Record<string, Field>>;

/** The values of these fields, each of which may be missing. */
export type ValuesOf<F extends Fields> = {
  readonly [Key in keyof F]?: z.infer<ReturnType<F[Key]['schema']>>;
};

/** Describes a field. */
export function field<Schema extends z.ZodMiniType>(
  make: () => Schema,
  hints: Omit<Field, 'schema'>,
): Field<Schema> {
  return { ...hints, schema: once(make) };
}

/** Matches keys that people use for comments where the format has none. */
export const commentKey = /^(?:\/\/|[$#])|^_?comments?$/;

/** Whether a value is valid in this field. */
export const fits = ({ schema }: Pick<Field, 'schema'>, value: unknown): boolean =>
  z.safeParse(schema(), withoutComments(value)).success;

/** Says what is wrong with a value that does not fit: the value itself, or the first bad key of an object. */
export function faultIn({ schema }: Pick<Field, 'schema'>, value: unknown): string {
  const given = withoutComments(value);
  const { issues = [] } = (isRecord(given) && z.safeParse(schema(), given).error) || {};
  for (const issue of issues)
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
      return `has the unknown key ${JSON.stringify(issue.keys[0])}`;
  const [key] = issues[0]?.path ?? [];
  if (typeof key !== 'string') return said(value);
  const inside = (given as Readonly<Record<string, unknown>>)[key];
  const name = JSON.stringify(key);
  return inside === undefined ? `has no ${name}` : `has a ${name} that ${said(inside)}`;
}

const withoutComments = (value: unknown): unknown =>
  isRecord(value) && Object.keys(value).some((key) => commentKey.test(key))
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !commentKey.test(key)))
    : value;

/** A text with more in it than blanks. */
export const written = () => z.string().check(z.regex(/\S/));

/** A list of texts. */
export const texts = () => z.array(z.string());

/** Texts by name. */
export const textsByName = () => z.record(z.string(), z.string());

/** A true or false value. */
export const flag = (about: string, fate?: string) =>
  field(() => z.boolean(), {
    about,
    fix: 'make it true or false',
    ...(fate !== undefined && { fate }),
  });

/** What a failure means; `continue` is Claude Code's word for `allow`. */
export const failureWord = () => z.enum(['allow', 'block', 'continue']);
