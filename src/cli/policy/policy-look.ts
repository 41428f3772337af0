import {
  folderOf,
  type InstalledBundle,
  readIndex,
  verifyInstalled,
} from '../../settings/bundles/installed.ts';
import { readFolder } from '../../settings/bundles/files.ts';
import { lookAtBundles } from '../../settings/bundles/look-at-bundles.ts';
import { isBundleName } from '../../settings/bundles/manifest.ts';
import { readSigners } from '../../settings/bundles/signers.ts';
import { listFiles } from '../../settings/bundles/sign.ts';
import type { VerifiedBundle } from '../../settings/bundles/verify.ts';
import { isHookmachineError } from '../../base/errors.ts';
import type { Judged } from '../../workbench/hooktests/junit.ts';
import { bundlePlaces } from '../../settings/files/levels.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { bundleToJson, describeBundle } from '../parts/describe-bundle.ts';
import { requiredBundles } from '../../hosts/relay/managed-here.ts';
import type { PlaceOptions } from './policy-work.ts';
import { judgeBundle, judgeFiles } from './policy-tests.ts';
import { about, placeOf, sayTests, testsIn, verifiedFrom } from './policy-work.ts';
import { print } from '../parts/print.ts';
import { printableJson } from '../parts/printable.ts';
import { say } from '../parts/shown-change.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';

/** `policy list`. */
export function list({ json }: { readonly json?: true }): void {
  const { states, problems } = lookAtBundles(bundlePlaces(), requiredBundles());
  if (json)
    return void process.stdout.write(
      `${printableJson({ bundles: states.map(bundleToJson), problems: problems.map(formatProblem) }, 2)}\n`,
    );
  if (states.length === 0) say('No bundle is installed.');
  for (const line of states.flatMap(describeBundle)) say(line);
  for (const problem of problems) say(formatProblem(problem));
}

/** `policy verify`. */
export async function verify(
  given: readonly string[],
  { json, ...options }: PlaceOptions & { readonly json?: true },
): Promise<void> {
  const place = placeOf(options);
  const installed = await about(place.index, () => readIndex(place));
  const all = given.length > 0 ? given : [...installed.keys()];
  if (all.length === 0 && !json) say('No bundle is installed.');
  const seen: Verified[] = [];
  for (const one of all) {
    const verified = await verifiedOne(one, installed.get(one), place);
    if (verified.problem !== undefined) process.exitCode = 1;
    seen.push(verified);
    if (json) continue;
    const { bundle, version, signer, problem } = verified;
    say(problem === undefined ? `✓ ${bundle} ${version}  signed by ${signer}` : `✗ ${problem}`);
  }
  if (json) print(`${printableJson(seen, 2)}\n`);
}

/** A bundle, and why it cannot be used. */
interface Verified {
  readonly bundle: string;
  readonly version?: string;
  readonly signer?: string;
  readonly problem?: string;
}

async function verifiedOne(
  bundle: string,
  known: InstalledBundle | undefined,
  place: BundlePlace,
): Promise<Verified> {
  try {
    const { manifest, signer } = await about(bundle, () =>
      known ? whole(place, known) : verifiedFrom(bundle, place),
    );
    return { bundle: manifest.name, version: manifest.version, signer: signer.name };
  } catch (error) {
    if (!isHookmachineError(error, 'COMMAND_FAILED')) throw error;
    return { bundle, problem: error.message };
  }
}

/** @throws {BundleError} if the bundle is not as it was signed */
const whole = (place: BundlePlace, installed: InstalledBundle): VerifiedBundle =>
  verifyInstalled(place, installed, readSigners(place.trusts));

/** The options of `policy test`. */
export interface TestOptions extends PlaceOptions {
  readonly unsigned?: true;
  readonly json?: true;
}

/** `policy test`. */
export async function test(
  given: string,
  { json, unsigned, ...options }: TestOptions,
): Promise<void> {
  const place = placeOf(options);
  const judged = await about(given, () => judge(given, place, unsigned));
  const failed = json ? judged.filter(({ lines }) => lines.length > 0).length : sayTests(judged);
  if (json) print(`${printableJson(judged, 2)}\n`);
  else
    say(
      failed > 0 ? `\n${judged.length - failed} passed, ${failed} failed` : `\n${testsIn(judged)}`,
    );
  if (failed > 0) process.exitCode = 1;
}

async function judge(
  given: string,
  place: BundlePlace,
  unsigned: true | undefined,
): Promise<readonly Judged[]> {
  if (unsigned) return judgeFiles(listFiles(given).files, place.source);
  const installed = isBundleName(given) ? readIndex(place).get(given) : undefined;
  if (installed === undefined)
    return judgeFiles((await verifiedFrom(given, place)).files, place.source);
  whole(place, installed);
  const folder = folderOf(place, installed);
  return judgeBundle(folder, readFolder(folder, { isInstalled: true }), place.source);
}
