import type { HookSystemConfig } from '../hooks/config.ts';
import { messageOf } from '../hooks/message-of.ts';
import type { WarningSink } from '../log.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookTrust } from './hook-trust.ts';

/** Whether a hook may run, now; also whether one may be asked for its event. */
export type TrustGate = (hook: UnaskedHook & { readonly event?: HookEventName }) => boolean;

/**
 * Asks the host whether a project's hook may run, and warns when it may not (C-10, C-104). Hooks of
 * the user, the administrator and of extensions are the user's own doing and always may. Never
 * throws: a host that cannot say does not trust.
 */
export function trustGate(config: HookSystemConfig, warn: WarningSink): TrustGate {
  return (hook) => {
    if (hook.source !== 'project') return true;
    const trust = ask(config, hook);
    if (trust.trusted) return true;
    // Cut, because the name may be a whole script, and the mend must not fall off the line.
    const name = hook.name.length > 80 ? `${hook.name.slice(0, 80)}…` : hook.name;
    const event = hook.event === undefined ? '' : ` (${hook.event})`;
    const fate = hook.onFailure === 'block' ? 'may not run, and so blocks' : 'was skipped';
    warn(`hook "${name}"${event} ${fate}: ${trust.why}; ${trust.mend}`);
    return false;
  };
}

function ask(config: HookSystemConfig, hook: UnaskedHook): HookTrust {
  try {
    // Compared with true, for the promise of an asynchronous host is no yes.
    if (config.isTrustedFolder && (config.isTrustedFolder() as unknown) !== true)
      return {
        trusted: false,
        why: 'this folder is not trusted',
        mend: 'trust it to have its hooks run',
      };
    if (!config.checkTrust) return { trusted: true };
    const trust = config.checkTrust(hook);
    const answer: unknown = (trust as HookTrust | undefined)?.trusted;
    if (typeof answer !== 'boolean') throw new Error('the host gave no answer');
    return trust;
  } catch (error) {
    return {
      trusted: false,
      why: `whether it is trusted could not be found out (${messageOf(error)})`,
      mend: 'the host must mend that',
    };
  }
}
