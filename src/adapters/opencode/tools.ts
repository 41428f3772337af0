import type { ToolInput } from '../../../machines/tool-call.ts';
import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { asInput } from '../parts/run-tool.ts';
import { type Plugin, type Session, tellUser } from './session.ts';
import type { ToolCall, ToolOutput } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Judges a tool call before OpenCode runs it; the arguments come back as hooks left them.
 * @throws why it must not run, for the model
 */
export async function judge(
  plugin: Plugin,
  session: Session,
  { tool, callID: id }: ToolCall,
  output: { args: unknown },
): Promise<void> {
  session.refuseStopped();
  const { options } = plugin;
  const name = options.tools?.alias?.[tool] ?? tool;
  const input: ToolInput = asInput(output.args);
  await session.model?.answerWithCall({ id, name, input });
  session.refuseStopped();
  const verdict = await session.calls.begin(
    { id, name, input },
    {
      ...session.context,
      // OpenCode asks by itself, and nobody else can.
      canAsk: false,
      notOffered: session.model?.refusal(tool),
    },
  );
  if (verdict.status === 'ended') {
    const { plainResult, appended, outcome } = verdict.call;
    session.calls.settle([id], 'it did not run');
    const reason = `${plainResult.error?.message ?? 'Blocked by hook'}${appended.join('')}`;
    if (outcome.status === 'blocked') options.onBlocked?.({ tool, reason });
    tell(plugin, session, verdict.call);
    throw new Error(reason);
  }
  // A hook of another call may have stopped the turn in the meantime.
  if (session.stopped !== undefined) session.calls.settle([id], session.stopped);
  session.refuseStopped();
  if (verdict.toolInput !== input) replace(output, verdict.toolInput);
}

/** Hands in a tool's output, which comes back as hooks left it. */
export async function finish(
  plugin: Plugin,
  session: Session,
  id: string,
  output: ToolOutput,
): Promise<void> {
  const call = await session.calls.take(id);
  session.calls.settle([id], 'it has ended');
  if (!call) return;
  const isText = typeof output.output === 'string';
  const given = isText ? output.output! : textsIn(output.content);
  const ended = await call.succeed({ llmContent: given, returnDisplay: given });
  const { plainResult, appended } = ended;
  const plain = textsIn(plainResult.llmContent);
  if (isText) output.output = plain + appended.join('');
  else if (plain !== given) output.content = [{ type: 'text', text: plain + appended.join('') }];
  else if (appended.length > 0 && Array.isArray(output.content))
    output.content.push({ type: 'text', text: appended.join('').trim() });
  tell(plugin, session, ended);
}

/** Ends the call of a tool that threw or was interrupted; the model reads what OpenCode made of it. */
export async function fail(plugin: Plugin, session: Session, part: Fields): Promise<void> {
  const { callID, state } = part;
  if (!isRecord(state) || state['status'] !== 'error') return;
  const call = await session.calls.take(String(callID));
  session.calls.settle([String(callID)], 'it has ended');
  if (!call) return;
  const isInterrupted = isRecord(state['metadata']) && state['metadata']['interrupted'] === true;
  const message = String(state['error']);
  tell(
    plugin,
    session,
    await (isInterrupted ? call.cancel(message) : call.fail(new Error(message))),
  );
}

function tell(plugin: Plugin, session: Session, { notice, stop }: EndedToolCall): void {
  if (notice !== undefined) tellUser(plugin, notice);
  if (stop) session.stop(stop.reason);
}

/** OpenCode sees only changes to the object itself. */
function replace(output: { args: unknown }, input: ToolInput): void {
  const { args } = output;
  if (!isRecord(args)) {
    output.args = { ...input };
    return;
  }
  for (const name of Object.keys(args)) Reflect.deleteProperty(args, name);
  for (const [name, value] of Object.entries(input))
    // Not assigned: it may be called `__proto__`.
    Object.defineProperty(args, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
