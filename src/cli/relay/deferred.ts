import { askForHost } from '../../durable/host-questions.ts';
import { openStore } from '../../durable/open-store.ts';
import { isRecord } from '../../base/json.ts';
import type { CallOutcome } from '../../hosts/relay/call-outcome.ts';
import { placeHere, workspaceOf } from '../parts/durable-options.ts';
import { tellUser } from '../../hosts/relay/has-no-hook.ts';
import { messageOf } from '../../base/message-of.ts';
import type { AskedCall } from '../../hosts/relay/relay-event.ts';

const week = 7 * 24 * 60 * 60 * 1000;

/**
 * Settles a call that hooks ask about. The first time, the host is told to defer it, which ends its agent,
 * and the question waits in the database; when the call is made again, the stored answer counts. If the
 * database cannot be asked, the host asks.
 */
export async function deferred(asked: AskedCall, outcome: CallOutcome): Promise<CallOutcome> {
  try {
    return await answeredHere(asked, outcome);
  } catch (error) {
    tellUser(
      `the question cannot be stored, so the agent asks the user itself: ${messageOf(error)}`,
    );
    return outcome;
  }
}

async function answeredHere(
  { fields, folder, session, callId, results }: AskedCall,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  const { place, machine, settings } = placeHere();
  const { store } = await openStore(place, 'hookmachine relay');
  try {
    const { tool_name: tool, tool_input: given } = fields;
    const input = outcome.toolInput ?? (isRecord(given) ? given : {});
    const answer = await askForHost(store, {
      id: `${session}/${callId}`,
      workspace: settings.workspace ?? workspaceOf(folder, machine),
      session,
      tool: String(tool),
      input,
      verdict: outcome.verdict,
      folder,
      hooks: results.map(({ hook, decision, reason, status }) => ({
        hook: hook.name,
        source: hook.source,
        dialect: hook.dialect,
        ...(decision !== undefined && { decision }),
        ...(reason !== undefined && { reason }),
        ...(status !== 'ok' && { status }),
      })),
      expiresAfter: settings.expiresAfter ?? week,
    });
    const { decision: _, reason, approved: _approved, ...verdict } = outcome.verdict;
    switch (answer.status) {
      case 'waits': {
        const { id } = answer.approval;
        const how = `it waits for an answer to ${id}: hookmachine approvals answer ${id} approve|deny --as NAME`;
        const why = reason === undefined ? how : `${reason} (${how})`;
        return { ...outcome, verdict: { ...verdict, decision: 'defer', reason: why } };
      }
      case 'approved':
        return { ...outcome, verdict, toolInput: answer.toolInput };
      case 'refused':
        return { ...outcome, verdict: { ...verdict, decision: 'deny', reason: answer.reason } };
    }
  } finally {
    await store.close();
  }
}
