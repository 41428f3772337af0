import { join, resolve } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { archiveOf } from '../../settings/bundles/archive.ts';
import { sourceIn } from '../../settings/bundles/bundled-hooks.ts';
import { BundleError } from '../../settings/bundles/bundle-error.ts';
import { readFolder } from '../../settings/bundles/files.ts';
import {
  readManifest,
  manifestName,
  settingsName,
  signatureName,
} from '../../settings/bundles/manifest.ts';
import { ignoredSettings, readSettings } from '../../settings/bundles/settings.ts';
import { listFiles, signFolder, type Unsigned } from '../../settings/bundles/sign.ts';
import { notOfIt } from '../../settings/bundles/source.ts';
import { fingerprint, keyText, signingKey } from '../../settings/bundles/ssh-signature.ts';
import { verifyFiles } from '../../settings/bundles/verify.ts';
import { hookmachine } from '../../hosts/hookmachine/index.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { about } from './policy-work.ts';
import { say } from '../parts/shown-change.ts';
import { counted } from '../../base/counted.ts';

/** `policy sign`. */
export async function sign(given: string, { key }: { readonly key: string }): Promise<void> {
  const folder = resolve(given);
  await about(given, async () => {
    const unsigned = listFiles(folder);
    const hooks = await hooksIn(folder, unsigned);
    const signer = await signFolder(folder, unsigned, key);
    const { name, version, files } = unsigned.manifest;
    say(
      `Signed ${name} ${version} (${counted(hooks, 'hook')}, ${counted(files.size, 'file')}) with ${fingerprint(signer)}.\nAnyone who runs it needs a line in ~/.hookmachine/allowed_signers or /etc/hookmachine/allowed_signers:\n  NAME ${keyText(signer)}`,
    );
  });
}

/** Returns how many hooks a bundle has; none of its settings may be ignored. */
async function hooksIn(folder: string, { files }: Unsigned): Promise<number> {
  const settings = readSettings(files.get(settingsName)!.bytes);
  const from = sourceIn(folder, 'user', settings);
  const { definitions, problems } = await hookmachine.find({
    cwd: folder,
    settings: () => [from],
    trusts: () => false,
    run: () => Promise.reject(new Error('Nothing is run to learn what it is.')),
  });
  const [problem] = [...ignoredSettings(settings, from.file!), ...problems];
  if (problem)
    throw new BundleError(
      `has settings that would not all take effect: ${formatProblem(problem)}`,
      'correct them',
    );
  return definitions.length;
}

/** `policy pack`. */
export async function pack(given: string, { output }: { readonly output?: string }): Promise<void> {
  const folder = resolve(given);
  await about(given, async () => {
    const files = readFolder(folder, { without: notOfIt });
    const [manifestBytes, signature] = [manifestName, signatureName].map(
      (name) => files.get(name)?.bytes,
    );
    if (manifestBytes === undefined || signature === undefined)
      throw new BundleError('is not signed', 'sign it first: hookmachine policy sign');
    signingKey(manifestBytes, signature.toString('latin1'));
    const manifest = readManifest(manifestBytes);
    verifyFiles(files, manifest);
    const whole = `${manifest.name}-${manifest.version}`;
    const file = output ?? join(process.cwd(), `${whole}.tgz`);
    writeAtomically(file, await archiveOf(folder, [...manifest.files.keys()], whole));
    say(`${file} was written.`);
  });
}
