import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { mergeEffects, passChanges } from '../../core/answers/merge-effects.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import type { Installation } from '../../core/dialects/installation.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import type { Writer } from '../../core/dialects/writer.ts';
import { isNotFailedTool, matchesHostEvent } from './matching.ts';

type Method<Name extends keyof Dialect> = Pick<Dialect, Name>;

/** What is known of a host before anything of it is loaded. */
export interface KnownHost
  extends
    Method<'name' | 'events' | 'order' | 'guarded' | 'mayBeIn' | 'atFirstSight' | 'approves'>,
    Method<'runsOn' | 'endsLine' | 'missingProgram' | 'runArgs' | 'replacesByName'>,
    Method<'plainDenial' | 'givesHooksOf'>,
    Partial<Method<'family'>> {
  /** Whether `migrate` can write its files: its table says how. */
  readonly isWritable?: true;
}

/** Everything else of a host that has hooks in files: it is loaded before the first of them is used. */
export interface HostRoom
  extends
    Method<'find' | 'identity' | 'compileMatcher' | 'environment' | 'stdin' | 'read'>,
    Method<'applies' | 'chain' | 'merge' | 'readCall' | 'reportCall'>,
    Partial<Method<'matcherOf'>> {
  /** The field that a hook's matcher is compared with; undefined if its event has no matchers. */
  readonly subjectOf: (hook: HookDefinition) => string | undefined;
  /** How its hooks run for one event; default: side by side. */
  readonly mode?: Dialect['mode'];
  /** The names that a hook's matcher for tools may match, ours included; absent if they are not known. */
  readonly toolNames?: (hook: HookDefinition) => readonly string[];
  readonly speaker: Speaker;
  readonly installation: Installation;
  readonly writer?: Writer;
}

/** Whether a hook applies to what its matcher matches, in hosts that tell of a failed tool by another event. */
export const usuallyApplies =
  ({ subjectOf, compileMatcher }: Pick<HostRoom, 'subjectOf' | 'compileMatcher'>) =>
  (hook: HookDefinition, payload: HookPayload): boolean =>
    isNotFailedTool(hook, payload) &&
    matchesHostEvent(hook, payload, subjectOf(hook), compileMatcher);

/** Makes the dialect of a host; `load` is called with the first question that needs its room. */
export function hostDialect(
  { isWritable, ...known }: KnownHost,
  load: () => Promise<HostRoom>,
): Dialect & Host {
  let loaded: HostRoom | undefined;
  let loading: Promise<HostRoom> | undefined;
  /** Loads the room once, whoever asks meanwhile; what failed for lack of descriptors is tried again. */
  const ready = (): Promise<HostRoom> =>
    (loading ??= load().then(
      (made) => (loaded = made),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));
  const room = (): HostRoom => {
    if (loaded === undefined)
      throw new Error(`The hooks of ${known.name} must be found before they run.`);
    return loaded;
  };
  return {
    family: known.name,
    needsSwitch: false,
    ...known,
    find: async (site) => (await ready()).find(site),
    identity: (hook) => room().identity(hook),
    matcherOf(hook) {
      const { matcherOf, subjectOf } = room();
      if (matcherOf) return matcherOf(hook);
      return subjectOf(hook) === undefined ? undefined : hook.matcher?.trim() || '*';
    },
    async toolNames(hook) {
      const { subjectOf, toolNames } = await ready();
      return subjectOf(hook) === 'tool_name' ? toolNames?.(hook) : undefined;
    },
    compileMatcher: (hook, onUndecided) => room().compileMatcher(hook, onUndecided),
    applies: (hook, payload) => room().applies?.(hook, payload) ?? true,
    mode: (hooks) => room().mode?.(hooks) ?? 'parallel',
    environment: (hook, input) => room().environment(hook, input),
    stdin: (hook, payload, context) => room().stdin(hook, payload, context),
    read: (hook, outcome, payload) => room().read(hook, outcome, payload),
    chain: (event, payload, answer) => (room().chain ?? passChanges)(event, payload, answer),
    merge: (event, answers, payload) => (room().merge ?? mergeEffects)(event, answers, payload),
    readCall: async (event, given) => (await ready()).readCall(event, given),
    reportCall: async (result) => (await ready()).reportCall(result),
    speak: async () => (await ready()).speaker,
    install: async () => (await ready()).installation,
    ...(isWritable && { write: async () => (await ready()).writer! }),
  };
}
