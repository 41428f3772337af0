import type { Dialect } from '../dialects/dialect.ts';
import type { EventContext } from '../dialects/event-context.ts';
import { knownDialects } from '../dialects/index.ts';
import { createConfig } from '../hooks/create-config.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../verdict/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { FireOptions } from './fire-options.ts';
import type { SettingsNote } from '../settings/settings-notes.ts';
import { folderTrust } from './folder-trust.ts';
import { guardStreams } from './guard-streams.ts';
import { whichHooks } from './no-hooks-option.ts';
import { recorded } from './recording-option.ts';
import { trustsAll } from './trusts-all.ts';

/** An event as `fire` was given it, in canonical form. */
export interface FiredEvent {
  readonly event: HookEventName;
  readonly fields: HookEventFields[HookEventName];
  readonly context: EventContext;
  /** The project's. */
  readonly folder: string;
}

/** What came of an event. */
export interface Fired {
  readonly result: AggregatedHookResult;
  /** Settings are there that could not be read, so that nobody knows whose hooks they hold (S-10). */
  readonly isUnread: boolean;
}

/** Takes an event through a hook system of its own. */
export async function runHooks(
  { event, fields, context, folder }: FiredEvent,
  outlines: readonly Dialect[],
  options: FireOptions,
  onNote: (note: SettingsNote) => void,
): Promise<Fired> {
  guardStreams();
  const config = createConfig({
    cwd: folder,
    dialects: outlines.map(({ name }) => knownDialects.find((known) => known.name === name)!),
    onNote,
    ...whichHooks(options.hooks),
    ...(await trusting(folder, options.trust)),
    ...(await recorded(folder, options)),
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
  });
  const system = config.getHookSystem();
  await system?.initialize();
  const result = await system?.getEventHandler().fire(event, fields, { ...context, canAsk: true });
  return {
    result: result ?? makeEmptySuccessResult(),
    isUnread: (config.getUnreadFiles?.() ?? []).length > 0,
  };
}

/** How a hook's files are compared with what the user looked at is loaded only where that is asked. */
async function trusting(folder: string, trust: true | undefined) {
  if (trustsAll(trust)) return folderTrust(folder, trust);
  return (await import('./trust-option.ts')).onlyTrusted(folder, trust);
}
