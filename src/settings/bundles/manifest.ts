import { isRecord } from '../../base/json.ts';
import { isAtLeast, isVersion, version as ownVersion } from '../../base/version.ts';
import { parseJson } from '../files/parse-json.ts';
import { said } from '../../base/message-of.ts';
import { BundleError } from './bundle-error.ts';
import { sha256 } from './digest.ts';
import { most } from './limits.ts';

export const manifestName = 'bundle.json';
export const signatureName = 'bundle.json.sig';
export const settingsName = 'settings.json';

/** What a manifest says about a file. */
export interface ListedFile {
  readonly sha256: string;
  /** '755' for a program, '644' for any other file; nothing else of a mode is kept. */
  readonly mode: '644' | '755';
}

/** What a bundle says about itself. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** The lowest version of hookmachine that can run it. */
  readonly requireVersion?: string;
  /** All its files except the manifest and its signature, by their paths in the bundle. */
  readonly files: ReadonlyMap<string, ListedFile>;
  /** The hash of the manifest, and so of everything in the bundle. */
  readonly digest: string;
}

const keys = ['name', 'version', 'description', 'requireVersion', 'files'];
const fix = 'have its author correct and sign it';

/**
 * Reads a manifest.
 *
 * @throws {BundleError} if it is not a valid manifest
 */
export function readManifest(bytes: Buffer): Manifest {
  const { files, ...about } = readAbout(bytes);
  if (!isRecord(files)) throw fault(`"files" ${said(files)}`);
  const listed = new Map(Object.entries(files).map(([path, file]) => [path, readFile(path, file)]));
  checkPaths([...listed.keys()]);
  if (!listed.has(settingsName)) throw fault(`"files" does not list ${settingsName}`);
  return { ...about, files: listed, digest: sha256(bytes) };
}

/** Reads a manifest whose files have not been listed yet. */
export function readAbout(
  bytes: Buffer,
): Omit<Manifest, 'files' | 'digest'> & { readonly files: unknown } {
  const parsed = parseJson(bytes.toString(), true);
  if ('fault' in parsed) throw fault(parsed.fault);
  const { value, doubled } = parsed;
  if (!isRecord(value)) throw fault('it is not a JSON object');
  if (doubled.length > 0) throw fault(`"${doubled[0]!.path().join('.')}" occurs twice`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw fault(`there is no key ${JSON.stringify(unknown)}`);
  const { name, version, description, requireVersion, files } = value;
  if (!isBundleName(name))
    throw fault(`"name" ${said(name)}, but may contain only lowercase letters, digits and "-"`);
  if (!isVersion(version))
    throw fault(`"version" ${said(version)}, but must be a version such as "1.2.0"`);
  if (description !== undefined && typeof description !== 'string')
    throw fault(`"description" ${said(description)}`);
  if (requireVersion !== undefined && !isVersion(requireVersion))
    throw fault(`"requireVersion" ${said(requireVersion)}, but must be a version such as "1.2.0"`);
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(requireVersion !== undefined && { requireVersion }),
    files,
  };
}

/** Returns why this version cannot run a bundle, if so. */
export const versionFault = ({ requireVersion }: Manifest): BundleError | undefined =>
  requireVersion === undefined || isAtLeast(requireVersion)
    ? undefined
    : new BundleError(
        `requires hookmachine ${requireVersion}, but this is ${ownVersion}`,
        'install a newer version of hookmachine',
      );

const name = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Whether a text can be the name of a bundle. */
export const isBundleName = (text: unknown): text is string =>
  typeof text === 'string' && name.test(text);

function readFile(path: string, file: unknown): ListedFile {
  const { sha256: hash, mode } = isRecord(file) ? file : {};
  if (typeof hash !== 'string' || !/^[\da-f]{64}$/.test(hash) || (mode !== '644' && mode !== '755'))
    throw fault(`${JSON.stringify(path)} needs a "sha256", and a "mode" of "644" or "755"`);
  return { sha256: hash, mode };
}

/** Matches a part of a path that no file system could take for a different name. */
const part = /^(?!\.{1,2}$)(?:[\w.]|[\w.][\w.+@-]*[\w+@-])$/;

/**
 * Checks that paths are plain, and distinct on every file system, including case-insensitive ones.
 *
 * @throws {BundleError} if they are not
 */
export function checkPaths(paths: readonly string[]): void {
  if (paths.length > most.files) throw fault(`it has more than ${most.files} files`);
  const folders = new Map<string, string>();
  const seen = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    if (
      path.length > most.path ||
      parts.length > most.depth ||
      !parts.every((one) => part.test(one))
    )
      throw fault(
        `${JSON.stringify(path.slice(0, 300))} is not a path that a file of a bundle may have`,
      );
    const folded = path.toLowerCase();
    if (folded === manifestName || folded === signatureName)
      throw fault(`${JSON.stringify(path)} cannot be listed in it`);
    if (seen.has(folded)) throw fault(`${JSON.stringify(path)} occurs twice`);
    seen.add(folded);
    for (let length = 1; length < parts.length; length++) {
      const folder = parts.slice(0, length).join('/');
      const known = folders.get(folder.toLowerCase()) ?? folder;
      if (known !== folder) throw fault(`${JSON.stringify(folder)} is also listed as ${known}`);
      folders.set(folder.toLowerCase(), folder);
    }
  }
  const both = paths.find((path) => folders.has(path.toLowerCase()));
  if (both !== undefined) throw fault(`${JSON.stringify(both)} is a file and a folder`);
}

const fault = (why: string): BundleError =>
  new BundleError(`has a manifest that cannot be used: ${why}`, fix);
