import { isMissing } from '../../base/errors.ts';
import { fileFault } from '../trust/safe-file.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { readBounded } from '../files/read-bounded.ts';
import { BundleError } from './bundle-error.ts';
import { fingerprint, keyText, namespace, readKey } from './ssh-signature.ts';

/** Someone who is trusted to sign bundles. */
export interface Signer {
  /** The first name on the line, such as an email address. */
  readonly name: string;
  readonly key: Buffer;
  /** The period in which the key's signatures are valid, in ms since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The combined content of signer files. */
export interface Signers {
  readonly all: readonly Signer[];
  readonly problems: readonly SettingsProblem[];
}

/** Reads files in the format of ssh-keygen's `allowed_signers`; a missing file names nobody. */
export function readSigners(files: readonly string[]): Signers {
  const read = files.map(readSignersOf);
  return {
    all: read.flatMap(({ all }) => all),
    problems: read.flatMap(({ problems }) => problems),
  };
}

function readSignersOf(file: string): Signers {
  const nobody = (message: string, fix: string): Signers => ({
    all: [],
    problems: [{ file, place: '', message: `${message}, so nobody in it is trusted`, fix }],
  });
  let text: string;
  try {
    const read = readBounded(file);
    if ('refused' in read) return nobody(`is ${read.refused}`, 'put a file of signers there');
    text = read.bytes.toString();
  } catch (error) {
    if (isMissing(error)) return { all: [], problems: [] };
    const { code = '' } = error as NodeJS.ErrnoException;
    return nobody(`cannot be read (${code})`, 'give this user read permission');
  }
  const unsafe = fileFault(file);
  if (unsafe) return nobody(unsafe.message, unsafe.fix);
  const all: Signer[] = [];
  const problems: SettingsProblem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const signer = readLine(line.trim());
    if (typeof signer === 'object') all.push(signer);
    else
      problems.push({
        file,
        at: { line: index + 1, column: 1 },
        place: '',
        message: `${signer}, so this line was ignored`,
        fix: `write: NAME [namespaces="${namespace}"] ssh-ed25519 KEY`,
      });
  }
  return { all, problems };
}

/** Reads a line; returns a string that says why if it names no signer. */
function readLine(line: string): Signer | string {
  // Options may contain quoted spaces.
  const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const [names = '', ...rest] = words;
  const options =
    rest[0]?.startsWith('ssh-') || rest[0]?.includes('@openssh.com') ? '' : rest.shift();
  const [type = '', base64 = ''] = rest;
  const key = readKey(type, base64);
  if (key === undefined) return 'it holds no Ed25519 key';
  if (!/^[^\s"*?!,]+(?:,[^\s"*?!,]+)*$/.test(names)) return 'it does not name a signer plainly';
  const signer = { name: names.split(',')[0]!, key, from: -Infinity, until: Infinity };
  for (const option of options?.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    const [, word = '', value = ''] = /^([\w-]+)(?:="([^"]*)")?$/.exec(option) ?? [];
    const time = timeOf(value);
    if (word === 'namespaces') {
      if (!value.split(',').includes(namespace)) return `its key may not sign for "${namespace}"`;
    } else if (word === 'valid-after' && time !== undefined) signer.from = time;
    else if (word === 'valid-before' && time !== undefined) signer.until = time;
    else return `${JSON.stringify(option)} is not understood`;
  }
  return signer;
}

/** Parses `YYYYMMDD[Z]` or `YYYYMMDDHHMM[SS][Z]`; without a Z it is this machine's local time. */
function timeOf(text: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone] = found;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Returns the signer whose key it is.
 *
 * @throws {BundleError} if it belongs to none of these signers, or is not valid at this time
 */
export function signerOf(key: Buffer, { all }: Signers, file: string, now = Date.now()): Signer {
  const own = all.filter((signer) => signer.key.equals(key));
  const valid = own.find(({ from, until }) => from <= now && now < until);
  if (valid) return valid;
  if (own.length > 0)
    throw new BundleError(
      `is signed by ${own[0]!.name}, whose key is not valid at this time`,
      'have it signed with a newer key',
    );
  throw new BundleError(
    `is signed with the key ${fingerprint(key)}, which is not trusted here`,
    `if you know whose it is, add a line to ${file}: NAME ${keyText(key)}`,
  );
}
