import { untilFree } from '../../base/file-lock.ts';
import type { BundlePlace, RequiredBundle } from '../../core/definitions/settings.ts';
import { isAtLeast } from '../../base/version.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { attempt, BundleError } from './bundle-error.ts';
import {
  folderOf,
  type InstalledBundle,
  type InstalledState,
  lockOf,
  readIndex,
  unlistedFolders,
  verifyInstalled,
} from './installed.ts';
import { readSigners, type Signers } from './signers.ts';
import type { VerifiedBundle } from './verify.ts';

/** The current state of a bundle that is installed or required. */
export interface BundleState {
  readonly place: BundlePlace;
  readonly name: string;
  /** Undefined if it is required but missing. */
  readonly installed?: InstalledBundle;
  readonly folder?: string;
  /** Set if it is as it was signed. */
  readonly verified?: InstalledState;
  /** Why its hooks may not run. */
  readonly fault?: BundleError;
  /** What the administrator requires of it. */
  readonly required?: RequiredBundle;
}

/** The bundles of some places. */
export interface LookedAt {
  readonly states: readonly BundleState[];
  /** Problems with the places themselves. */
  readonly problems: readonly SettingsProblem[];
  /** Places whose installed bundles cannot be known. */
  readonly unknown: readonly { readonly place: BundlePlace; readonly problem: SettingsProblem }[];
}

/** Reads and verifies all bundles of some places. */
export function lookAtBundles(
  places: readonly BundlePlace[],
  required: readonly RequiredBundle[] = [],
): LookedAt {
  const states: BundleState[] = [];
  const problems: SettingsProblem[] = [];
  const unknown: LookedAt['unknown'][number][] = [];
  for (const place of places) {
    const installed = attempt(() => settled(place));
    const isSystems = place.source === 'system' && !place.isFleets;
    if ('fault' in installed) {
      const { message, fix } = installed.fault;
      const why = `${message}, so none of its bundles runs`;
      const problem = { file: place.index, place: '', message: why, fix, isWhole: true as const };
      problems.push(problem);
      unknown.push({ place, problem });
      const fault = new BundleError(`was not found, because ${place.index} ${message}`, fix);
      if (isSystems) states.push(...required.map((one) => missing(place, one, fault)));
      continue;
    }
    const signers = readSigners(place.trusts);
    problems.push(...signers.problems);
    const { all, unlisted } = installed.value;
    states.push(...unlisted.map((one) => ({ ...one, place, fault: notListed(place) })));
    for (const one of all) {
      const demanded = required.filter(({ name }) => isSystems && name === one.name);
      states.push(stateOf(place, one, signers, demanded));
    }
    for (const one of isSystems ? required : [])
      if (!all.some(({ name }) => name === one.name))
        states.push(missing(place, one, new BundleError('is not installed', fixFor(one))));
  }
  // The administrator's signers are read for users too, so their problems would occur twice.
  const told = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return { states, problems: [...told.values()], unknown };
}

interface Listing {
  readonly all: readonly InstalledBundle[];
  readonly unlisted: ReturnType<typeof unlistedFolders>;
}

/**
 * Reads what is installed at a place. A folder is there before the list names it, and after the list no
 * longer does: a change that is being made is awaited.
 */
function settled(place: BundlePlace): Listing {
  const now = listing(place);
  if (now.unlisted.length === 0) return now;
  untilFree(lockOf(place));
  return listing(place);
}

function listing(place: BundlePlace): Listing {
  const listed = readIndex(place);
  return { all: [...listed.values()], unlisted: unlistedFolders(place, listed) };
}

const notListed = ({ index }: BundlePlace): BundleError =>
  new BundleError(
    `is not in the list of installed bundles, ${index}`,
    'add it again (hookmachine policy add), or remove its folder',
  );

function stateOf(
  place: BundlePlace,
  installed: InstalledBundle,
  signers: Signers,
  demanded: readonly RequiredBundle[],
): BundleState {
  const looked = attempt(() => {
    const verified = verifyInstalled(place, installed, signers);
    for (const required of demanded) demand(verified, required);
    return verified;
  });
  const required = demanded.find(({ onFailure }) => onFailure === 'block') ?? demanded[0];
  return {
    place,
    name: installed.name,
    installed,
    folder: folderOf(place, installed),
    ...('fault' in looked ? looked : { verified: looked.value }),
    ...(required && { required }),
  };
}

/** @throws {BundleError} if it is not what the administrator requires */
function demand({ manifest, signer }: VerifiedBundle, required: RequiredBundle): void {
  if (signer.name !== required.signer)
    throw new BundleError(
      `is signed by ${signer.name}, but managed.bundles requires ${required.signer}`,
      fixFor(required),
    );
  if (required.version !== undefined && !isAtLeast(required.version, manifest.version))
    throw new BundleError(
      `is lower than ${required.version}, which managed.bundles requires`,
      'update it: hookmachine policy update --system',
    );
}

const fixFor = ({ name, signer }: RequiredBundle): string =>
  `install "${name}" by ${signer} for this machine: hookmachine policy add --system`;

const missing = (
  place: BundlePlace,
  required: RequiredBundle,
  fault: BundleError,
): BundleState => ({
  place,
  name: required.name,
  required,
  fault,
});
