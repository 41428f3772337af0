import { definitionHash, definitionText, eventOf, type AnyHook } from './definition.ts';
import { each } from './once.ts';
import { scriptFiles } from './script-files.ts';
import type { KeepText } from './script-file.ts';
import type { HookFingerprint } from './trusted-hook.ts';

/**
 * How to treat a hook of which not all that it runs can be found: either it runs as long as what was found is
 * unchanged, or never.
 */
export type OpaqueCommands = 'allow' | 'refuse';

/**
 * Fingerprints a hook as it is now, with everything behind it. `keep` receives the texts, so that changes can
 * be shown later.
 */
export async function fingerprint(
  hook: AnyHook,
  cwd: string,
  opaque: OpaqueCommands = 'allow',
  keep?: KeepText,
  once = each,
): Promise<HookFingerprint> {
  const found = await scriptFiles(hook, cwd, keep, once);
  const isRefused = opaque === 'refuse' && found.unfollowed.length > 0;
  return {
    event: eventOf(hook),
    name: hook.name,
    place: hook.place,
    definition: definitionHash(hook, cwd),
    text: definitionText(hook, cwd),
    ...found,
    ...(isRefused && {
      refused: 'what it runs cannot be followed, and your settings refuse such hooks',
    }),
  };
}
