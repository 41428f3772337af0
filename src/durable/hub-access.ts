import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { isRecord } from '../base/json.ts';
import { HookmachineError, isMissing } from '../base/errors.ts';
import { makeFolder } from '../base/folders.ts';
import { messageOf } from '../base/message-of.ts';
import { environment } from '../base/surroundings.ts';
import { homeFolder } from '../settings/files/levels.ts';
import type { HubAccess } from './hub-store.ts';

/** How this machine, or a person on it, reaches a hub. */
export interface KeptAccess extends HubAccess {
  /** The name under which the hub knows it. */
  readonly name: string;
}

/** The variables that take the place of the file of a machine, as in a container. */
const variables = { url: 'HOOKMACHINE_HUB', token: 'HOOKMACHINE_HUB_TOKEN' } as const;

/** Whose token it is: a machine makes calls, and a person answers. */
export type Bearer = 'machine' | 'person';

const fileNames = { machine: 'hub.json', person: 'hub-person.json' } as const;

/** Where the access of a machine or a person is kept, in the user's own folder. */
export function accessFile(bearer: Bearer): string {
  const home = homeFolder();
  if (home === undefined)
    throw new HookmachineError('HUB_REFUSED', 'There is no home folder to keep the token in.');
  return join(home, '.hookmachine', fileNames[bearer]);
}

/**
 * Returns how this machine, or a person on it, reaches its hub; undefined if there is none.
 *
 * @throws {HookmachineError} `HUB_REFUSED` if the file cannot be read
 */
export function hubAccess(bearer: Bearer): (HubAccess & Partial<KeptAccess>) | undefined {
  const { [variables.url]: url, [variables.token]: token } = environment();
  if (bearer === 'machine' && (url || token)) {
    if (url && token) return { url, token };
    throw new HookmachineError(
      'HUB_REFUSED',
      `${url ? variables.token : variables.url} is not set, but ${url ? variables.url : variables.token} is: set both, or neither.`,
    );
  }
  if (homeFolder() === undefined) return undefined;
  const file = accessFile(bearer);
  try {
    return accessIn(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (isMissing(error)) return undefined;
    const again = bearer === 'machine' ? 'hookmachine hub join' : 'hookmachine hub login';
    throw new HookmachineError(
      'HUB_REFUSED',
      `${file} is not usable (${messageOf(error)}): run \`${again}\` again`,
      { cause: error },
    );
  }
}

/** @throws if a part is missing */
function accessIn(value: unknown): KeptAccess {
  const { url, name, token, ca } = isRecord(value) ? value : {};
  if (typeof url !== 'string' || typeof name !== 'string' || typeof token !== 'string')
    throw new Error('it must have a "url", a "name" and a "token"');
  return { url, name, token, ...(typeof ca === 'string' && { ca }) };
}

/** Keeps the access of a machine or a person, readable for this user only. Returns the file. */
export function keepAccess(bearer: Bearer, access: KeptAccess): string {
  const file = accessFile(bearer);
  makeFolder(dirname(file), 0o700);
  writeAtomically(file, `${JSON.stringify(access, undefined, 2)}\n`, { mode: 0o600 });
  return file;
}

/** Forgets it. */
export const forgetAccess = (bearer: Bearer): void => rmSync(accessFile(bearer), { force: true });
