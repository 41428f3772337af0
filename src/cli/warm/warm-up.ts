import { loadHandlers } from '../../handlers/index.ts';
import { loadCallerWatch, loadLive } from '../../handlers/process/index.ts';
import { hosts } from '../../hosts/all/hosts.ts';

/**
 * Loads what a process of an event's own loads only if its event needs that: here, the next event should not
 * wait for it.
 */
export async function warmUp(): Promise<void> {
  await Promise.all([
    import('../../core/run/unawaited-hooks.ts'),
    import('../../guards/guard-hook.ts'),
    import('../../guards/redact-result.ts'),
    import('../../guards/repository-state.ts'),
    import('../../hosts/all/known.ts'),
    import('../../hosts/all/same-event.ts'),
    import('../../hosts/relay/missing-line-in.ts'),
    import('../../hosts/relay/run-hooks.ts'),
    import('../../hosts/relay/trust-option.ts'),
    import('../../settings/trust/script-files.ts'),
    import('../../watch/audit/start-audit.ts'),
    loadCallerWatch(),
    loadLive(),
    loadHandlers(
      (['function', 'http', 'live', 'module', 'prompt'] as const).map((type) => ({ type })),
    ),
    ...hosts.map((host) => host.speak()),
  ]);
}
