import type { BundleState } from '../../settings/bundles/look-at-bundles.ts';

/** Returns a bundle's state as JSON data. */
export const bundleToJson = ({
  name,
  place,
  installed,
  verified,
  folder,
  fault,
  required,
}: BundleState) => ({
  name,
  ...(verified?.manifest.description !== undefined && {
    description: verified.manifest.description,
  }),
  level: place.source,
  version: installed?.version ?? null,
  signer: installed?.signer ?? null,
  from: installed?.from ?? null,
  folder: folder ?? null,
  runs: fault === undefined,
  ...(fault && { fault: fault.message, fix: fault.fix }),
  ...(required && { required }),
});

/** Returns a bundle's state as lines of text. */
export function describeBundle(state: BundleState): string[] {
  const { name, place, installed, verified, folder, fault, required } = state;
  return [
    `${name}${installed ? ` ${installed.version}` : ''} (${place.source})`,
    ...(verified?.manifest.description === undefined ? [] : [`  ${verified.manifest.description}`]),
    ...(verified ? [`  signed by  ${verified.signer.name}`] : []),
    ...(installed ? [`  from       ${installed.from}`, `  folder     ${folder}`] : []),
    ...(required ? [`  required   by managed.bundles`] : []),
    fault ? `  not run    it ${fault.message}; ${fault.fix}` : '  verified   its hooks run',
  ];
}
