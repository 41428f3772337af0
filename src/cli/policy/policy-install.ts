import { BundleError } from '../../settings/bundles/bundle-error.ts';
import { install, remove } from '../../settings/bundles/install.ts';
import { readIndex } from '../../settings/bundles/installed.ts';
import { wholePlace } from '../../settings/bundles/source.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { oneLine } from '../../base/log.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';
import { printable } from '../parts/printable.ts';
import type { PlaceOptions } from './policy-work.ts';
import { judgeBundle } from './policy-tests.ts';
import { about, placeOf, sayTests, testsIn, verifiedFrom } from './policy-work.ts';
import { say } from '../parts/shown-change.ts';

/** `policy add`. */
export async function add(from: string, options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  await about(from, () => installFrom(wholePlace(from), place, options));
}

/** `policy update`. */
export async function update(given: readonly string[], options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  const installed = await about(place.index, () => readIndex(place));
  const names = given.length > 0 ? given : [...installed.keys()];
  if (names.length === 0) return say('No bundle is installed.');
  for (const name of names)
    try {
      const before = installed.get(name);
      await about(`the bundle "${name}"`, () => {
        if (before === undefined)
          throw new BundleError('is not installed', 'add it first: hookmachine policy add');
        return installFrom(before.from, place, options, name);
      });
    } catch (error) {
      // One that fails does not keep the others from being updated.
      if (!isHookmachineError(error, 'COMMAND_FAILED')) throw error;
      process.stderr.write(`hookmachine: ${oneLine(printable(error.message))}\n`);
      process.exitCode = 1;
    }
}

/** `policy remove`. */
export async function removeOne(name: string, options: PlaceOptions): Promise<void> {
  await about(`the bundle "${name}"`, () => remove(placeOf(options), name));
  say(`Removed ${name}.`);
}

/** Installs the bundle that is there, if it is newer; `expected` is the name that it must have. */
async function installFrom(
  from: string,
  place: BundlePlace,
  { toLower }: PlaceOptions,
  expected?: string,
): Promise<void> {
  const { files, ...verified } = await verifiedFrom(from, place);
  const { name, version } = verified.manifest;
  if (expected !== undefined && name !== expected)
    throw new BundleError(`is now ${name} in ${from}`, 'remove it, and add that one');
  let tests = '';
  const tryOut = async (folder: string): Promise<void> => {
    const judged = await judgeBundle(folder, files, place.source);
    const failed = sayTests(judged);
    if (failed > 0) throw failing(failed, readIndex(place).get(name)?.version);
    tests = testsIn(judged);
  };
  const { before, isSame } = await install(
    place,
    { ...verified, files, from },
    { toLower, tryOut },
  );
  if (isSame) return say(`${name} ${version} is installed, and there is no newer one.`);
  const done =
    before === undefined
      ? 'Added'
      : before.version === version
        ? 'Reinstalled:'
        : `Updated from ${before.version}:`;
  say(`${done} ${name} ${version}, signed by ${verified.signer.name}; ${tests}.`);
}

const failing = (count: number, before: string | undefined): BundleError =>
  new BundleError(
    `fails ${count} of its own tests, so it was not installed${before === undefined ? '' : `, and ${before} stays`}`,
    'ask its author to correct it',
  );
