import type { CallParts } from '../../core/dialects/dialect.ts';
import { callsOf } from './patch-calls.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the name of the argument that holds a patch; undefined if there is none. */
export const patchFieldIn = (input: Fields): string | undefined =>
  Object.keys(input).find((name) => {
    const value = input[name];
    return typeof value === 'string' && value.trimStart().startsWith('*** Begin Patch');
  });

/**
 * Returns what a call that applies a patch does, as calls of our tools: a patch may write many files,
 * and a hook that guards files receives each. `field` is the argument that holds the patch.
 */
export function patchParts(
  whole: object,
  input: Fields,
  field: string,
  folder: unknown,
): CallParts {
  const { [field]: patch } = input;
  const cwd = typeof folder === 'string' ? folder : '';
  const { calls, note, patchWith } = callsOf(typeof patch === 'string' ? patch : '', cwd);
  return {
    calls: calls.map((part) => ({ ...whole, ...part })),
    ...(note !== undefined && { note }),
    inputWith(inputs) {
      const changed = patchWith(inputs);
      return changed === undefined ? undefined : { ...input, [field]: changed };
    },
  };
}
