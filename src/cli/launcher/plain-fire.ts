import { knownDialects } from '../../hosts/all/known.ts';
import type { FireOptions } from '../fire/fire-options.ts';
import { isWord } from '../parts/is-word.ts';

/**
 * Reads the arguments after `hookmachine fire` if they are plain; undefined for any other command line, which
 * the whole program reads.
 */
export function plainFire(
  args: readonly string[],
): { readonly event: string; readonly options: FireOptions } | undefined {
  const [event = '', ...rest] = args;
  if (!isWord(event)) return undefined;
  let options: FireOptions = { cwd: '.', dialect: knownDialects[0]!, hooks: true };
  const given = rest.values();
  for (const option of given)
    switch (option) {
      case '--trust':
        options = { ...options, trust: true };
        break;
      case '--no-hooks':
        options = { ...options, hooks: false };
        break;
      default: {
        const read = valueOptions.get(option)?.(given.next().value ?? '');
        if (read === undefined) return undefined;
        options = { ...options, ...read };
      }
    }
  return { event, options };
}

type ReadValue = (value: string) => Partial<FireOptions> | undefined;

const valueOptions = new Map<string, ReadValue>([
  ['--cwd', (cwd) => (isWord(cwd) ? { cwd } : undefined)],
  ['--session-id', (sessionId) => (isWord(sessionId) ? { sessionId } : undefined)],
  [
    '--dialect',
    (name) => {
      const dialect = knownDialects.find((known) => known.name === name);
      return dialect && { dialect };
    },
  ],
]);
