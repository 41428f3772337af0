import type { DialectOutline } from '../dialects/dialect.ts';
import type { EventContext } from '../dialects/event-context.ts';
import { knownDialects } from '../dialects/index.ts';
import { createConfig } from '../hooks/create-config.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../hooks/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { FireOptions } from './fire.ts';
import { guardStreams } from './guard-streams.ts';
import { recorded } from './recording-option.ts';
import { trustsAll } from './trusts-all.ts';

/** An event as `fire` was given it, in our words. */
export interface FiredEvent {
  readonly event: HookEventName;
  readonly fields: HookEventFields[HookEventName];
  readonly context: EventContext;
  /** The project's. */
  readonly folder: string;
}

/** Takes an event through a hook system of its own. */
export async function runHooks(
  { event, fields, context, folder }: FiredEvent,
  outlines: readonly DialectOutline[],
  options: FireOptions,
): Promise<AggregatedHookResult> {
  guardStreams();
  const config = createConfig({
    cwd: folder,
    dialects: outlines.map(({ name }) => knownDialects.find((known) => known.name === name)!),
    ...(!options.hooks && { enableHooks: false }),
    ...(await trusting(folder, options.trust)),
    ...(await recorded(folder, options)),
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
  });
  const system = config.getHookSystem();
  await system?.initialize();
  return (await system?.getEventHandler().fire(event, fields, context)) ?? makeEmptySuccessResult();
}

/** How a hook's files are compared with what the user looked at is loaded only where that is asked. */
async function trusting(folder: string, trust: true | undefined) {
  if (trustsAll(trust)) return { isTrustedFolder: () => true };
  return (await import('./trust-option.ts')).onlyTrusted(folder, trust);
}
