import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import type { Checkable, ConfiguredHook, Untrusted } from '../check/check-hooks.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { HookRegistry } from '../../hosts/system/hook-registry.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { SettingsNote } from '../../core/definitions/settings.ts';
import { folderTrust } from '../../hosts/relay/folder-trust.ts';
import { trustOfEach } from '../../hosts/relay/trust-option.ts';

/** A configured hook, and what keeps it from running for any event. */
export interface ListedHook extends ConfiguredHook {
  /** The same hook from elsewhere runs in its place. */
  readonly isHidden?: true;
}

/** Everything that is configured in a project. */
export interface ConfiguredHooks extends Omit<Checkable, 'folder' | 'hooks'> {
  readonly config: HookSystemConfig;
  /** In the registry's order. */
  readonly hooks: readonly ListedHook[];
}

/** Returns every configured hook, including those that may not run; none of them is started. */
export async function lookAtHooks(
  folder: string,
  dialects: readonly Dialect[],
  trusted?: true,
): Promise<ConfiguredHooks> {
  const trust = trustOfEach(folder, trusted);
  const options = { cwd: folder, onWarning: () => undefined, dialects, ...trust };
  const notes: SettingsNote[] = [];
  const config = createConfig({ ...options, onNote: (note) => void notes.push(note) });
  // The switches of a project that is not trusted do not yet apply to hooks of other sources.
  const inForce = createConfig({ ...options, ...folderTrust(folder, trusted) });
  const registry = await HookRegistry.load(config);
  const withTrust = async <Hook extends UnaskedHook>(hook: Hook): Promise<Hook & Untrusted> => {
    const changed = hook.bundle?.fault();
    if (changed) return { ...hook, untrusted: changed };
    const found = hook.source === 'project' ? await trust.verifyTrust?.(hook) : undefined;
    return found?.trusted === false
      ? { ...hook, untrusted: { why: found.why, fix: found.fix } }
      : hook;
  };
  const hooks = await Promise.all(
    registry.getAllHooks().map(async (hook): Promise<ListedHook> => {
      const isHidden = registry.isHidden(hook);
      const { needsSwitch } = registry.dialects.get(hook.dialect)!;
      const judge = hook.source === 'project' ? config : inForce;
      const isOff = judge.isSwitchedOn?.(hook.source, needsSwitch) === false;
      return {
        ...(await withTrust(hook)),
        ...(isHidden && { isHidden }),
        ...(isOff && { switchedOff: true }),
      };
    }),
  );
  const unasked = await Promise.all(registry.unasked.map(withTrust));
  return { config, registry, hooks, unasked, notes };
}
