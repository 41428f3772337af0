/** What stands in the place of what must not be told. */
export const redacted = '[redacted]';

/**
 * How the names of secrets end, without their separators: GITHUB_TOKEN, githubToken, X-Api-Key. A
 * count of tokens is none.
 */
const secretEnding =
  /(?:(?:password|passwd|passphrase|pwd|secret|credential|cookie|authorization|(?:api|access|secret|private)key|(?:access|refresh|auth|session|api)token)s?|token)\d*$/;

/** Tells whether the value of a key is a secret, by its name. */
export type IsSecret = (name: string) => boolean;

/** Names of the settings are whole names; `api_key`, `apiKey` and `API-KEY` are one. */
export function secretKeys(names: readonly string[]): IsSecret {
  const own = new Set(names.map(bare));
  return (name) => own.has(bare(name)) || secretEnding.test(bare(name));
}

const bare = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** A secret of an object: by its own name, or as the `value` of what a field beside it names. */
export function secretFields(object: object, isSecret: IsSecret): IsSecret {
  const fields = object as Readonly<Record<string, unknown>>;
  const isNamed = ['name', 'key', 'Name', 'Key'].some((field) => {
    const name = fields[field];
    return typeof name === 'string' && isSecret(name);
  });
  return (field) => isSecret(field) || (isNamed && isValue(field));
}

/** Whether a field names what the one beside it holds. */
export const isName = (field: string): boolean => /^(?:name|key)$/i.test(field);

/** Whether a field holds what the one beside it names. */
export const isValue = (field: string): boolean => /^values?$/i.test(field);
