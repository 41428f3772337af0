import { isBundleError } from '../../settings/bundles/bundle-error.ts';
import type { BundleFiles } from '../../settings/bundles/files.ts';
import { readSigners } from '../../settings/bundles/signers.ts';
import { readSource } from '../../settings/bundles/source.ts';
import { type VerifiedBundle, verifyBundle } from '../../settings/bundles/verify.ts';
import { isError } from '../../base/errors.ts';
import type { Judged } from '../../workbench/hooktests/junit.ts';
import { warn } from '../../base/log.ts';
import { bundlePlaces } from '../../settings/files/levels.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { linesOf } from '../../workbench/hooktests/judge-tests.ts';
import { say } from '../parts/shown-change.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';

/** The level at which a command works. */
export interface PlaceOptions {
  readonly system?: true;
  readonly toLower?: true;
}

/** Returns where the bundles of a level are. */
export function placeOf({ system }: { readonly system?: true }): BundlePlace {
  const wanted = system ? 'system' : 'user';
  const place = bundlePlaces().find(({ source }) => source === wanted);
  if (place === undefined)
    throw new CommandFailure("there is no home folder for the user's bundles: set HOME");
  return place;
}

/** Reads a bundle that is not installed yet, and verifies it with the signers of a level. */
export async function verifiedFrom(
  from: string,
  place: BundlePlace,
): Promise<VerifiedBundle & { readonly files: BundleFiles }> {
  const files = await readSource(from);
  const signers = readSigners(place.trusts);
  for (const problem of signers.problems) warn(undefined, formatProblem(problem));
  return { ...verifyBundle(files, signers, place.signers), files };
}

/** Runs work on a bundle; a fault of the bundle, or of the disk, becomes one line. */
export async function about<Result>(what: string, work: () => Result): Promise<Awaited<Result>> {
  try {
    return await work();
  } catch (cause) {
    throw asFailure(what, cause);
  }
}

function asFailure(what: string, cause: unknown): unknown {
  if (isBundleError(cause))
    return new CommandFailure(`${what} ${cause.message}; ${cause.fix}`, { cause });
  if (!isError(cause)) return cause;
  const { code, path } = cause as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new CommandFailure(
      `${path ?? what} cannot be written (${code})${code === 'EACCES' || code === 'EPERM' ? '; --system needs an administrator (sudo)' : ''}`,
      { cause },
    );
  return cause.message.includes('another hookmachine is using it')
    ? new CommandFailure(cause.message, { cause })
    : cause;
}

/** Prints tests, and returns how many failed. */
export function sayTests(judged: readonly Judged[]): number {
  for (const one of judged) say(linesOf(one).join('\n'));
  return judged.filter(({ lines }) => lines.length > 0).length;
}

/** How many tests passed, in words. */
export const testsIn = (judged: readonly Judged[]): string =>
  judged.length === 0 ? 'it has no tests' : `${judged.length} of its tests passed`;
