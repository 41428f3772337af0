import { randomUUID } from 'node:crypto';
import { messageOf } from '../../base/message-of.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import { notice, type ChatEvent } from './chat-events.ts';
import { userMessage } from './chat-history.ts';
import type { ChatSession } from './chat-session.ts';
import { runGenAIModelCall } from '../../core/calls/genai-model-call.ts';
import { fireSessionEvent } from './session-events.ts';
import { textOfResponse } from '../../core/translate/response.ts';

const wish =
  'Summarise our conversation so far, so that you can continue the task knowing only the summary: the goal, what was done, what was found out, what is left.';

/** Replaces a session's history with the model's summary of it, which PostCompress hooks receive. */
export async function compressHistory(
  session: ChatSession,
  trigger: HookEventFields['PreCompress']['trigger'],
  tell: (...events: ChatEvent[]) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { history, options } = session;
  if (history.length === 0) return;
  await fireSessionEvent(session, 'PreCompress', { trigger }, trigger, tell);
  const { model, config } = options;
  const request = { model: model.name, contents: [...history, userMessage(wish)] };
  const call = await runGenAIModelCall(
    config,
    { id: randomUUID(), request },
    (sent, callSignal) => model.generate(sent, { signal: callSignal }),
    { signal },
  );
  const summary =
    call.outcome.status === 'done' && call.response ? textOfResponse(call.response) : '';
  if (summary === '')
    return tell(
      notice(
        `The conversation was not compressed: ${call.error === undefined ? 'there was no summary' : messageOf(call.error)}.`,
      ),
    );
  history.splice(0, history.length, userMessage(`What happened so far:\n\n${summary}`), {
    role: 'model',
    parts: [{ text: 'I will continue from there.' }],
  });
  session.tokens = 0;
  session.beginning = 'compress';
  const fields = { trigger, compact_summary: summary };
  await fireSessionEvent(session, 'PostCompress', fields, trigger, tell);
}
