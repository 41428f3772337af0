import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hookFates, type FiredOnce, type HookFate } from '../../core/plan/hook-fates.ts';
import { lookAtHooks, type ListedHook } from '../../workbench/parts/look-at-hooks.ts';

/** One configured hook, and why it ran or did not. */
export interface HookReason {
  readonly hook: string;
  readonly event?: string;
  readonly dialect?: string;
  readonly source: string;
  readonly place: string;
  readonly ran: boolean;
  readonly why: string;
}

interface Asked {
  readonly hooks: boolean;
  readonly trust?: true;
  /** The hooks to report on; default: all. */
  readonly isAskedFor?: ((hook: UnaskedHook) => boolean) | undefined;
}

/**
 * Returns why each configured hook ran or did not when this event was fired; hooks of other events come last.
 */
export async function whyHooks(
  fired: FiredOnce,
  folder: string,
  dialects: readonly Dialect[],
  { hooks: areOn, trust, isAskedFor = () => true }: Asked,
): Promise<readonly HookReason[]> {
  const { hooks, registry, unasked, config } = await lookAtHooks(folder, dialects, trust);
  const isOn = config.getEnableHooks();
  const all = registry.getAllHooks();
  const listed = new Map(all.map((hook, place) => [hook, hooks[place]!]));
  const fates = hookFates(
    registry,
    fired,
    (hook) => listed.get(hook)?.untrusted !== undefined,
    (hook) =>
      !isOn || listed.get(hook)?.switchedOff === true || (!areOn && hook.source !== 'system'),
  );
  const registered = all.filter(isAskedFor);
  const reasons = registered.map((hook): HookReason => {
    const fate = fates.get(hook)!;
    return {
      hook: hook.name,
      event: hook.nativeEvent ?? hook.event,
      dialect: hook.dialect,
      source: hook.source,
      place: [hook.file, hook.place].filter(Boolean).join(' '),
      ran: fate.kind === 'ran' || fate.kind === 'started',
      why: inWords(fate, listed.get(hook)!, areOn),
    };
  });
  const isOfEvent = (_: unknown, place: number): boolean =>
    registered[place]!.event === fired.event;
  return [
    ...reasons.filter(isOfEvent),
    ...unasked.filter(isAskedFor).map(({ name, source, file, place, untrusted }) => ({
      hook: name,
      source,
      place: [file, place].filter(Boolean).join(' '),
      ran: false,
      why: `it may not be run to learn its events: ${untrusted?.why ?? 'it is not trusted'}${untrusted ? `; ${untrusted.fix}` : ''}`,
    })),
    ...registry.relays.filter(isAskedFor).map(({ name, source, file, place }) => ({
      hook: name,
      source,
      place: [file, place].filter(Boolean).join(' '),
      ran: false,
      why: 'it only has its host call hookmachine, which runs all hooks itself',
    })),
    ...reasons.filter((_, place) => !isOfEvent(_, place)),
  ];
}

function inWords(fate: HookFate, { untrusted, onFailure }: ListedHook, areOn: boolean): string {
  switch (fate.kind) {
    case 'ran':
      return 'it ran';
    case 'started':
      return 'it was started, and is not waited for (async)';
    case 'event':
      return `it is for another event, ${fate.event}`;
    case 'matcher':
      return `its matcher ${JSON.stringify(fate.matcher)} does not match ${JSON.stringify(fate.subject)}`;
    case 'off':
      return areOn
        ? 'hooks of its level are switched off in the settings'
        : "--no-hooks keeps all hooks except the system's from running";
    case 'disabled':
      return 'it is disabled (hooksConfig.disabled, or hookmachine disable)';
    case 'untrusted':
      return `it is not trusted${onFailure === 'block' ? ', so it blocks' : ''}: ${untrusted!.why}; ${untrusted!.fix}`;
    case 'twin':
      return fate.twin
        ? `it is hidden: a duplicate, ${fate.twin.place} of ${fate.twin.file ?? `the ${fate.twin.source}`}, takes precedence`
        : 'it is hidden: a duplicate takes precedence';
    case 'if':
      return `its "if", ${fate.rule}, does not match this call`;
    case 'payload':
      return `its event, in its dialect, is for calls other than this one`;
    case 'once':
      return 'it runs once per session, and has already run in this one';
    case 'ended':
      return 'a hook before it in the sequence denied or stopped, which ended the sequence';
    case 'plugin':
      return 'plugins cannot run';
  }
}
