import { join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { makeFolder } from '../../base/folders.ts';
import { isRecord } from '../../base/json.ts';
import { gatewayState } from '../../hosts/parts/relay-entry.ts';
import { stateFolder } from '../../settings/files/levels.ts';
import { textIn } from '../../settings/files/read-bounded.ts';

const fileOf = (): string | undefined => {
  const folder = stateFolder(gatewayState);
  return folder && join(folder, 'providers.json');
};

/** The addresses of providers that stood where `install --gateway` has written the gateway's. */
export function replacedAddresses(): Readonly<Record<string, string>> {
  const file = fileOf();
  try {
    const value: unknown = JSON.parse((file && textIn(file)) ?? '{}');
    if (!isRecord(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'), // prettier-ignore
    );
  } catch {
    return {};
  }
}

/** Keeps the address of a provider that was replaced, for the gateway and for `uninstall`. */
export function keepReplaced(provider: string, url: string): void {
  const file = fileOf();
  if (file === undefined) return;
  makeFolder(join(file, '..'), 0o700);
  writeAtomically(file, `${JSON.stringify({ ...replacedAddresses(), [provider]: url })}\n`, {
    mode: 0o600,
  });
}
