import {
  eventNamed,
  hookPointOf,
  hookPoints,
  type HookEventName,
} from '../../core/points/hook-points.ts';
import { isRecord } from '../../base/json.ts';
import { defineHooks } from '../files/define-hooks.ts';
import { readSettings } from './settings.ts';

/** Something that a bundle guards: an event at which nothing may continue unguarded, and the tools there. */
export interface BundleGuard {
  readonly event: HookEventName;
  readonly matcher?: string;
  /** Its author wrote that the operation continues without it. */
  readonly onFailure?: 'allow';
}

/** Everything that needs guards, for a bundle of which nothing else is known. */
export const allGuards: readonly BundleGuard[] = Object.values(hookPoints)
  .filter(({ needsGuards }) => needsGuards)
  .map(({ event }) => ({ event }));

/** What the hooks of these settings guard. Hooks that cannot be read may guard anything. */
export function guardsIn(settings: Buffer): readonly BundleGuard[] {
  const { values } = readSettings(settings);
  const { definitions, problems } = defineHooks(
    { source: 'user', owner: 'hookmachine', hooks: values['hooks'] },
    { kinds: 'ours', eventNames: [], eventOf: eventNamed },
  );
  if (problems.some(({ lost }) => lost !== undefined)) return allGuards;
  const guards = definitions
    .filter((hook) => hook.async !== true && hookPointOf(hook.event).needsGuards)
    .map(({ event, matcher, failsOpen }): BundleGuard => ({
      event,
      ...(matcher !== undefined && { matcher }),
      ...(failsOpen && { onFailure: 'allow' }),
    }));
  return [...new Map(guards.map((guard) => [JSON.stringify(guard), guard])).values()];
}

/** Reads what was recorded when a bundle was installed; undefined if nobody can tell any more. */
export const readGuards = (recorded: unknown): readonly BundleGuard[] | undefined =>
  Array.isArray(recorded) && recorded.every(isGuard) ? recorded : undefined;

const isGuard = (value: unknown): value is BundleGuard =>
  isRecord(value) &&
  allGuards.some(({ event }) => event === value['event']) &&
  ['string', 'undefined'].includes(typeof value['matcher']) &&
  [undefined, 'allow'].includes(value['onFailure'] as string | undefined);
