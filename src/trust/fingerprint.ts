import { definitionHash, definitionText, eventOf, type AnyHook } from './definition.ts';
import { digestOnce } from './folder-digest.ts';
import { each, type Once } from './once.ts';
import { scriptFiles } from './script-files.ts';
import type { KeepText } from './script-file.ts';
import type { HookFingerprint } from './trusted-hook.ts';

/**
 * How to treat a hook whose scripts cannot be followed: either every file of the project counts, or it never
 * runs.
 */
export type OpaqueCommands = 'folder' | 'refuse';

/**
 * Fingerprints a hook as it is now, with everything behind it. `keep` receives the texts, so that changes can
 * be shown later.
 */
export async function fingerprint(
  hook: AnyHook,
  cwd: string,
  opaque: OpaqueCommands = 'folder',
  keep?: KeepText,
  once = each,
): Promise<HookFingerprint> {
  const { scripts, absent, unfollowed, folders, written } = await scriptFiles(
    hook,
    cwd,
    keep,
    once,
  );
  const around =
    unfollowed.length > 0 ? await wholeFolders(folders, written, opaque, keep, once) : {};
  return {
    event: eventOf(hook),
    name: hook.name,
    place: hook.place,
    definition: definitionHash(hook, cwd),
    text: definitionText(hook, cwd),
    scripts,
    absent,
    unfollowed,
    ...around,
  };
}

async function wholeFolders(
  folders: readonly string[],
  written: readonly string[],
  opaque: OpaqueCommands,
  keep: KeepText | undefined,
  once: Once,
): Promise<Pick<HookFingerprint, 'folder' | 'refused'>> {
  if (opaque === 'refuse')
    return { refused: 'what it runs cannot be followed, and your settings refuse such hooks' };
  try {
    const { list, ...folder } = await digestOnce(folders, written, once);
    const bytes = Buffer.from(list);
    keep?.({ sha256: folder.sha256, size: bytes.length, mode: 0, bytes });
    return { folder };
  } catch (error) {
    return {
      refused: `what it runs cannot be followed, and the whole project cannot be compared: ${(error as Error).message}`,
    };
  }
}
