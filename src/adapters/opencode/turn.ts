import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import { warnPlainly } from '../../base/log.ts';
import { fireEvent } from '../parts/fire-event.ts';
import { tooManyRounds } from '../parts/options.ts';
import { type Plugin, quietly, report, type Session, textOf } from './session.ts';
import type { Part } from './types.ts';
import { stopReasonOf, wishesOf, blockReasonOf } from '../../core/answers/reasons.ts';

/**
 * Begins a turn with what the user said; what hooks add follows it.
 * @throws why the model must not read it
 */
export async function beginTurn(plugin: Plugin, session: Session, parts: Part[]): Promise<void> {
  const prompt = textOf(parts);
  if (session.next === prompt) {
    session.next = undefined;
    return;
  }
  session.begin(prompt);
  const contexts = session.isSubagent
    ? await beginSubagent(plugin, session)
    : [...(await beginSession(plugin, session)), ...(await beforeAgent(plugin, session))];
  const text = parts.find(({ type }) => type === 'text');
  if (text) text.text = [text.text ?? '', ...contexts].join('\n\n');
}

async function beginSession(plugin: Plugin, session: Session): Promise<readonly string[]> {
  if (session.hasBegun) return [];
  session.hasBegun = true;
  const { source, context } = session;
  const about = { ...context, subject: source };
  const result = await fireEvent(plugin.config, 'SessionStart', { source }, about);
  report(plugin, result);
  return textsOf(result?.verdict.context, result?.verdict.message);
}

async function beforeAgent(plugin: Plugin, session: Session): Promise<readonly string[]> {
  const { config, options } = plugin;
  const { prompt, context } = session;
  const result = await fireEvent(config, 'BeforeAgent', { prompt }, context);
  report(plugin, result);
  const verdict = result?.verdict;
  if (verdict?.stop) {
    session.stop(stopReasonOf(verdict));
    session.refuseStopped();
  }
  if (verdict?.decision === 'deny') {
    const reason = blockReasonOf('BeforeAgent', verdict);
    options.onBlocked?.({ reason });
    throw new Error(reason);
  }
  return textsOf(verdict?.context, verdict?.message);
}

async function beginSubagent(plugin: Plugin, session: Session): Promise<readonly string[]> {
  if (session.hasBegun) return [];
  session.hasBegun = true;
  const { id, agent, context } = session;
  const about = { ...context, subject: agent };
  const fields = { agent_id: id, agent_type: agent };
  const result = await fireEvent(plugin.config, 'SubagentStart', fields, about);
  report(plugin, result);
  return textsOf(result?.verdict.context);
}

const textsOf = (...texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text) => text !== undefined);

/** Ends a turn; hooks may make the agent continue. */
export async function endTurn(plugin: Plugin, session: Session): Promise<void> {
  const { model, stopped } = session;
  await model?.answer({ parts: [] });
  session.cancel('the turn ended');
  if (stopped !== undefined) return;
  const response = session.response?.texts.join('\n') ?? '';
  if (session.isSubagent) await endSubagent(plugin, session, response);
  else await afterAgent(plugin, session, response);
}

async function endSubagent(plugin: Plugin, session: Session, response: string): Promise<void> {
  const { id, agent, context } = session;
  const fields = {
    agent_id: id,
    agent_type: agent,
    stop_hook_active: false,
    last_assistant_message: response,
  };
  report(
    plugin,
    await fireEvent(plugin.config, 'SubagentStop', fields, { ...context, subject: agent }),
  );
}

async function afterAgent(plugin: Plugin, session: Session, response: string): Promise<void> {
  const { config, options, client } = plugin;
  const fields = {
    prompt: session.prompt,
    prompt_response: response,
    stop_hook_active: session.rounds > 0,
  };
  const result = await fireEvent(config, 'AfterAgent', fields, session.context);
  report(plugin, result);
  const verdict = result?.verdict;
  if (verdict?.stop) {
    session.stop(stopReasonOf(verdict));
    return;
  }
  const wishes = verdict ? wishesOf(verdict) : [];
  if (wishes.length === 0) return;
  const { maxRejections = defaultMaxRejections } = options;
  if (session.rounds >= maxRejections) {
    warnPlainly(config.onWarning, tooManyRounds(maxRejections));
    return;
  }
  session.rounds += 1;
  session.next = wishes.join('\n\n');
  const body = { parts: [{ type: 'text' as const, text: session.next }] };
  await quietly(client.session.prompt({ path: { id: session.id }, body }));
}
