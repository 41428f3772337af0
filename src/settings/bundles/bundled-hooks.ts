import type { HookSource } from '../../core/protocol/events.ts';
import type { HookBundle, HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { BundlePlace, Bundles } from '../../core/definitions/settings.ts';
import { type SettingsProblem, unknownGuard } from '../../core/definitions/problem.ts';
import { failureDefault } from '../files/switches.ts';
import { attempt } from './bundle-error.ts';
import { readFolder } from './files.ts';
import { allGuards, type BundleGuard } from './guards.ts';
import { type BundleState, lookAtBundles } from './look-at-bundles.ts';
import { settingsName } from './manifest.ts';
import { type BundleSettings, ignoredSettings, inFolder } from './settings.ts';
import { type VerifiedBundle, verifyFiles } from './verify.ts';

/** The hooks of all bundles that may run, and the problems and denials that come from those that may not. */
export interface BundledHooks {
  readonly sources: readonly HooksFromSource[];
  readonly problems: readonly SettingsProblem[];
  /** Hooks that deny in place of guards that do not run. */
  readonly denials: readonly HookDefinition[];
}

/**
 * Collects the hooks of all bundles. `denies` returns whether a failure denies for hooks of a source that do
 * not say so themselves.
 */
export function bundledHooks(
  { places, required }: Bundles,
  denies: (source: HookSource) => boolean,
): BundledHooks {
  const { states, problems, unknown } = lookAtBundles(places, required);
  const deniesIn = ({ source, isFleets }: BundlePlace): boolean => isFleets || denies(source);
  const found = states.map((state): BundledHooks => {
    const { folder, verified, place } = state;
    if (folder && verified) {
      const from = fleetsOwn(place, sourceIn(folder, place.source, verified.settings));
      return {
        sources: [{ ...from, bundle: bundleIn(folder, verified) }],
        problems: ignoredSettings(verified.settings, from.file!),
        denials: [],
      };
    }
    const guards = unverified(state, deniesIn(place));
    return {
      sources: [],
      problems: [problemWith(state, guards)],
      denials: denialsOf(place, folder ?? place.folder, titleOf(state), state.fault!, guards),
    };
  });
  return {
    sources: found.flatMap(({ sources }) => sources),
    problems: [...problems, ...found.flatMap((one) => one.problems)],
    denials: [
      ...unknown.flatMap(({ place, problem }) =>
        denialsOf(place, place.index, place.index, problem, allGuards),
      ),
      ...found.flatMap(({ denials }) => denials),
    ],
  };
}

/**
 * Returns what is denied because a bundle cannot be verified: what it guarded when it was installed, except
 * where its author or the administrator let the operation continue, or everything if that is not known or a
 * failure denies.
 */
function unverified(
  { folder, installed, required }: BundleState,
  denies: boolean,
): readonly BundleGuard[] {
  const isDenying = required?.onFailure === undefined ? denies : required.onFailure === 'block';
  if (isDenying) return allGuards;
  // It was never there.
  if (folder === undefined || required?.onFailure === 'allow') return [];
  return (installed?.guards ?? allGuards).filter(({ onFailure }) => onFailure !== 'allow');
}

/** Returns what the settings of a bundle in this folder add to a level. */
export const sourceIn = (
  folder: string,
  source: BundlePlace['source'],
  { values, locate }: BundleSettings,
): HooksFromSource => ({
  source,
  owner: 'hookmachine',
  file: `${folder}/${settingsName}`,
  hooks: inFolder(values['hooks'], folder),
  locate,
  env: { bundlePath: folder },
  ...(failureDefault(values) === 'block' && { onFailure: 'block' }),
});

/** Makes the guards of a fleet deny when they fail. */
const fleetsOwn = ({ isFleets }: BundlePlace, from: HooksFromSource): HooksFromSource =>
  isFleets ? { ...from, onFailure: 'block' } : from;

/**
 * Describes a verified bundle. Its files are read again at each start of a hook, and their times are not
 * relied on; the signature was verified when they were found.
 */
const bundleIn = (folder: string, { manifest, signer }: VerifiedBundle): HookBundle => ({
  name: manifest.name,
  version: manifest.version,
  signer: signer.name,
  fault: () => {
    const looked = attempt(() => verifyFiles(readFolder(folder, { isInstalled: true }), manifest));
    return 'fault' in looked
      ? {
          why: `its bundle ${manifest.name} ${looked.fault.message}`,
          fix: looked.fault.fix,
        }
      : undefined;
  },
});

const titleOf = ({ name }: Pick<BundleState, 'name'>): string => `the bundle ${name}`;

function problemWith(state: BundleState, guards: readonly BundleGuard[]): SettingsProblem {
  const { fault, folder, place } = state;
  const fate =
    guards.length === 0
      ? ''
      : guards === allGuards
        ? ', and prompts, model calls and tools are denied'
        : ', and what they guard is denied';
  return {
    file: folder ?? place.folder,
    place: '',
    message: `${titleOf(state)} ${fault!.message}, so its hooks do not run${fate}`,
    fix: fault!.fix,
    isWhole: true,
  };
}

/** Returns hooks that deny what was guarded. */
function denialsOf(
  { source }: BundlePlace,
  file: string,
  name: string,
  { message, fix }: Pick<SettingsProblem, 'message' | 'fix'>,
  guards: readonly BundleGuard[],
): HookDefinition[] {
  const why = `${name} ${message}; ${fix}`;
  return guards.map(({ event, matcher }) =>
    unknownGuard(
      { event, source, file, name, place: '', ...(matcher !== undefined && { matcher }) },
      why,
    ),
  );
}
