import { isRecord } from '../../base/json.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import type { Path } from '../../core/definitions/problem.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The object in a text that has been parsed before. */
export function valueOf(text: string): Fields {
  const parsed = parseJson(text);
  return 'value' in parsed && isRecord(parsed.value) ? parsed.value : {};
}

/** The value at a path. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) || Array.isArray(inner) ? (inner as Fields)[key] : undefined),
    value,
  );

/** Whether a value is an empty list or object. */
export const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
