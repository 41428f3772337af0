import { deniesUntrusted } from '../answers/process-facts.ts';
import type { HookHost } from '../host/config.ts';
import { messageOf } from '../../base/message-of.ts';
import type { WarningSink } from '../../base/log.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookBundle, UnaskedHook } from '../definitions/hook-definition.ts';
import type { HookTrust } from '../definitions/hook-trust.ts';

/** Whether a hook may run, as far as that is known when a plan is made. */
export type TrustGate = (hook: UnaskedHook & { readonly event?: HookEventName }) => boolean;

/**
 * Whether a hook may start, now that its turn has come; also whether an executable may be asked for its
 * event.
 */
export type StartGate = (
  hook: UnaskedHook & { readonly event?: HookEventName; readonly nativeEvent?: string },
) => boolean | Promise<boolean>;

/**
 * Asks the host whether a project's hook may run, and warns if it may not. Hooks of the user,
 * the administrator and extensions were installed by the user and always may. Never throws: a host that
 * cannot say does not trust.
 */
export function trustGate(config: HookHost, warn: WarningSink): TrustGate {
  return (hook) => {
    if (hook.source !== 'project') return true;
    return isTrusted(hook, ask(config, hook), warn);
  };
}

/**
 * Like `trustGate`, but also checks the hook's files as they are now: those of a signed bundle always, those
 * of a project if the host can verify them.
 */
export function startGate(config: HookHost, warn: WarningSink): StartGate {
  const trusts = trustGate(config, warn);
  return (hook) => {
    const fault = hook.bundle && tried(() => bundleTrust(hook.bundle!.fault()));
    if (fault && !isTrusted(hook, fault, warn)) return false;
    if (hook.source !== 'project' || !config.verifyTrust) return trusts(hook);
    const folder = tried(() => folderTrust(config));
    if (!folder.trusted) return isTrusted(hook, folder, warn);
    return verify(config, hook).then((trust) => isTrusted(hook, trust, warn));
  };
}

const bundleTrust = (fault: ReturnType<HookBundle['fault']>): HookTrust =>
  fault ? { trusted: false, ...fault } : { trusted: true };

function isTrusted(
  hook: UnaskedHook & { readonly event?: HookEventName },
  trust: HookTrust,
  warn: WarningSink,
): boolean {
  if (trust.trusted) return true;
  // Truncated, because the name may be a whole script, and the fix must not fall off the line.
  const name = hook.name.length > 80 ? `${hook.name.slice(0, 80)}…` : hook.name;
  const event = hook.event === undefined ? '' : ` (${hook.nativeEvent ?? hook.event})`;
  const fate = deniesUntrusted(hook) ? 'may not run, so it blocks' : 'was skipped';
  const said = (why: string): string => `hook "${name}"${event} ${fate}: ${why}; ${trust.fix}`;
  warn(said(trust.why), { text: said(trust.plainWhy ?? trust.why), isSkip: true });
  return false;
}

const ask = (config: HookHost, hook: UnaskedHook): HookTrust =>
  tried(() => {
    const folder = folderTrust(config);
    if (!folder.trusted || !config.checkTrust) return folder;
    return answered(config.checkTrust(hook));
  });

async function verify(config: HookHost, hook: UnaskedHook): Promise<HookTrust> {
  try {
    return answered(await config.verifyTrust!(hook));
  } catch (error) {
    return unknown(error);
  }
}

function folderTrust(config: HookHost): HookTrust {
  // Compared with true, because the promise of an asynchronous host is not a yes.
  if (config.isTrustedFolder && (config.isTrustedFolder() as unknown) !== true)
    return {
      trusted: false,
      why: 'this folder is not trusted',
      fix: 'trust it to have its hooks run',
    };
  return { trusted: true };
}

function answered(trust: HookTrust): HookTrust {
  const answer: unknown = (trust as HookTrust | undefined)?.trusted;
  if (typeof answer !== 'boolean') throw new Error('the host gave no answer');
  return trust;
}

function tried(look: () => HookTrust): HookTrust {
  try {
    return look();
  } catch (error) {
    return unknown(error);
  }
}

const notFoundOut = 'whether it is trusted could not be found out';

const unknown = (error: unknown): HookTrust => ({
  trusted: false,
  why: `${notFoundOut} (${messageOf(error)})`,
  plainWhy: notFoundOut,
  fix: 'the host must fix that',
});
