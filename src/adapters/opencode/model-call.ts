import { readyHookSystem, seesModelCalls } from '../../core/calls/event-hooks.ts';
import type { NeutralMessage } from '../../core/calls/run-model-call.ts';
import { textOf as textIn } from '../parts/turns.ts';
import { OpenModelCall } from './open-model-call.ts';
import type { Plugin, Session } from './session.ts';
import type { ChatParams, Entry, Part } from './types.ts';

/** Begins a session's model call; `entries`, which are about to be sent, come back as hooks left them. */
export async function beginModelCall(
  { config, tools }: Plugin,
  session: Session,
  entries: Entry[],
): Promise<void> {
  session.refuseStopped();
  void session.model?.answer({ parts: [] });
  session.model = undefined;
  const system = await readyHookSystem(config);
  if (!seesModelCalls(config, system)) return;
  const call = new OpenModelCall(config, session, {
    model: modelOf(entries),
    messages: entries.map(toMessage),
    tools: [...tools],
  });
  session.model = call;
  const sent = await call.sent;
  if (sent) {
    const changed = sent.messages.map((message) => fromMessage(message, entries));
    if (
      changed.some((entry, index) => entry !== entries[index]) ||
      changed.length !== entries.length
    )
      entries.splice(0, entries.length, ...changed);
    return;
  }
  session.model = undefined;
  const { stop, blockedReason, response } = await call.ended;
  if (stop) session.stop(stop.reason);
  // Nothing can answer in the model's place.
  const reason = stop?.reason ?? blockedReason;
  throw new Error(reason || textIn(response?.parts ?? []) || 'Blocked by hook');
}

const modelOf = (entries: readonly Entry[]): string => {
  const { info } = entries.findLast((entry) => entry.info.role === 'user') ?? {};
  return info?.model?.modelID ?? '';
};

function toMessage(entry: Entry): NeutralMessage {
  return {
    role: entry.info.role === 'user' ? 'user' : 'model',
    parts: entry.parts.map((part) => {
      const isSaid = part.type === 'text' && !part.ignored;
      return { ...(isSaid && { text: part.text ?? '' }), original: { part, entry } };
    }),
    original: entry,
  };
}

interface Origin {
  readonly part: Part;
  readonly entry: Entry;
}

/** A message in OpenCode's form. */
function fromMessage({ role, parts, original }: NeutralMessage, entries: readonly Entry[]): Entry {
  if (original !== undefined) return original as Entry;
  const kept = parts.map((part) => part.original as Origin | undefined);
  const theirs = role === 'user' ? 'user' : 'assistant';
  const source =
    kept.find((origin) => origin !== undefined)?.entry ??
    entries.findLast(({ info }) => info.role === theirs) ??
    entries[0]!;
  const { id: messageID, sessionID } = source.info;
  return {
    info: source.info,
    parts: parts.map(
      ({ text = '' }, index) =>
        kept[index]?.part ??
        ({ id: `prt_hook${index}`, messageID, sessionID, type: 'text', text } as Part),
    ),
  };
}

/** Applies the settings that hooks want for a model call. */
export function applySettings({ request }: OpenModelCall, params: ChatParams): void {
  const { temperature, topP, topK, maxOutputTokens } = request?.settings ?? {};
  if (temperature !== undefined) params.temperature = temperature;
  if (topP !== undefined) params.topP = topP;
  if (topK !== undefined) params.topK = topK;
  if (maxOutputTokens !== undefined) params.maxOutputTokens = maxOutputTokens;
}
