import { resolve } from 'node:path';
import { readBounded } from '../settings/files/read-bounded.ts';
import type { HandlerOf } from './handler.ts';

/** The longest token or certificate, in bytes. */
const longest = 64 * 1024;

/** What proves who asks, and who must answer: files of a hook's definition, as they are now. */
export interface Credentials {
  readonly authorization?: string;
  readonly tls?: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>;
}

/**
 * Reads them again for each event: tokens and certificates change while agents run.
 *
 * @throws with a message that names the file
 */
export function credentialsOf({ tokenFile, tls }: HandlerOf<'http'>, folder: string): Credentials {
  const read = (path: string): string => {
    const file = resolve(folder, path);
    let found: ReturnType<typeof readBounded>;
    try {
      found = readBounded(file, longest);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new Error(`${file} cannot be read (${code ?? message})`, { cause });
    }
    if ('refused' in found) throw new Error(`${file} is ${found.refused}`);
    return found.bytes.toString();
  };
  const readIf = (path: string | undefined) => (path === undefined ? undefined : read(path));
  const token = readIf(tokenFile)?.trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new Error(`${resolve(folder, tokenFile!)} must hold one token and nothing else`);
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(tls && { tls: { ca: readIf(tls.ca), cert: readIf(tls.cert), key: readIf(tls.key) } }),
  };
}
