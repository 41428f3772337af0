import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { type Done, inOwnProcess, inThisProcess, type Place } from './in-process.ts';
import { main } from './main.ts';

/** What a command said, without what changes from run to run. */
export const same = ({ stdout, stderr, exitCode }: Done): Done => ({
  stdout: stable(stdout),
  stderr: stable(stderr),
  exitCode,
});

const stable = (text: string): string =>
  text
    .replaceAll(/(?<="durationMs":)\d+|\d+(?= ?ms\b)/g, '0')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '…')
    .replaceAll(/^\(node:\d+\)/gm, '(node:…)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');

/** The modules that the command is made from, as a program. */
const modules = join(dirname(main), 'src/cli/main.js');

/** Environments of first runs, when V8 has compiled nothing yet, and of later ones. */
const runs = { first: { NODE_DISABLE_COMPILE_CACHE: '1' }, later: {} };
let runsMade = 0;

/**
 * Expects that the built command says what the sources say, byte for byte; every fourth time, it runs as if for
 * the first time. `restore` puts the files back as they were before a run.
 */
export async function sameAnswers(
  place: Place,
  args: readonly string[],
  input: string,
  restore: () => void,
): Promise<void> {
  const run = runs[runsMade++ % 4 === 0 ? 'first' : 'later'];
  const by = async (file: string): Promise<Done> => {
    restore();
    const env = { ...place.env, ...run };
    return same(await inOwnProcess({ ...place, env }, args, input, file));
  };
  const said = await by(main);
  restore();
  if (isDeepStrictEqual(said, same(await inThisProcess(place, args, input)))) return;
  // This process remembers what the test did, and some hooks answer differently each time.
  const expected = await by(modules);
  if (!isDeepStrictEqual(said, expected)) expect(await by(main)).toEqual(expected);
}
