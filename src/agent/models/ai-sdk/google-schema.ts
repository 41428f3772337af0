import { isRecord } from '../../../base/json.ts';

/**
 * Converts Google's form of a schema to JSON Schema: its type names are in capitals and its limits may be
 * strings.
 */
export function fromGoogleSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  const { nullable, propertyOrdering: _order, example, ...rest } = schema;
  const translated = Object.fromEntries(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, fieldOf(key, value)]),
  );
  if (nullable === true && typeof translated['type'] === 'string')
    translated['type'] = [translated['type'], 'null'];
  if (example !== undefined) translated['examples'] = [example];
  return translated;
}

function fieldOf(key: string, value: unknown): unknown {
  if (key === 'type' && typeof value === 'string') return value.toLowerCase();
  if (key === 'items') return fromGoogleSchema(value);
  if (key === 'anyOf' && Array.isArray(value)) return value.map(fromGoogleSchema);
  if (key === 'properties' && isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, fromGoogleSchema(inner)]),
    );
  return limits.includes(key) && typeof value === 'string' ? Number(value) : value;
}

const limits: readonly string[] = [
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
];
