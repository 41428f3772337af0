import { hasHooks, isUnready, readyHookSystem } from '../../core/calls/event-hooks.ts';
import { hookDecision, notice, type ChatEvent } from './chat-events.ts';
import type { ChatSession } from './chat-session.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';

/**
 * The events that belong to the session and not to a call; their hooks cannot block anything.
 */
export type SessionEvent =
  | 'SessionStart'
  | 'SessionEnd'
  | 'PreCompress'
  | 'PostCompress'
  | 'Notification';

type Tell = (...events: ChatEvent[]) => void;

/** Fires one of the session's events, and emits its hooks' messages for the user. Never throws. */
export async function fireSessionEvent<Event extends SessionEvent>(
  { options: { config } }: ChatSession,
  event: Event,
  fields: HookEventFields[Event],
  subject: string,
  tell: Tell,
): Promise<Verdict | undefined> {
  const system = await readyHookSystem(config);
  if (!system || isUnready(system) || !hasHooks(system, event, subject)) return undefined;
  const result = await system.getEventHandler().fire(event, fields);
  const { message } = result.verdict;
  tell(...hookDecision(event, result), ...(message === undefined ? [] : [notice(message)]));
  return result.verdict;
}

/** Fires SessionStart once per beginning of a session: new, resumed, cleared or compressed. */
export async function beginSession(session: ChatSession, tell: Tell): Promise<void> {
  const source = session.beginning;
  if (source === undefined) return;
  delete session.beginning;
  session.hasBegun = true;
  const verdict = await fireSessionEvent(session, 'SessionStart', { source }, source, tell);
  const context = verdict?.context;
  if (context !== undefined) session.contexts.push(context);
}
