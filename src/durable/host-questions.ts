import type { ToolInput } from '../../machines/tool-call.ts';
import type { Verdict } from '../core/answers/verdict.ts';
import { errorResult } from '../core/protocol/tool-result.ts';
import { answerOf } from './answer-of.ts';
import { type Approval, Approvals, loadRisk } from './approvals.ts';
import type { CallStore } from './database/store.ts';
import type { EndedCall } from './outcome.ts';
import type { HookSaid, Judged } from './judged.ts';

/** A tool call that a host's hooks ask about. Its agent ends, and makes the call again once it is resumed. */
export interface HostCall {
  /** Identifies the call, also when it is made again. */
  readonly id: string;
  readonly workspace: string;
  readonly session: string;
  readonly tool: string;
  /** The arguments as the hooks left them. */
  readonly input: ToolInput;
  readonly verdict: Verdict;
  readonly hooks: readonly HookSaid[];
  /** How long the question waits, in ms. */
  readonly expiresAfter: number;
  /** The folder that the agent works in. */
  readonly folder: string;
}

/** What the host is told. */
export type HostAnswer =
  /** The agent must end: the question has only now been asked. */
  | { readonly status: 'waits'; readonly approval: Approval }
  | { readonly status: 'approved'; readonly toolInput: ToolInput }
  | { readonly status: 'refused'; readonly reason: string };

/**
 * Returns the answer to the question of a host's call, and asks it if it has not been asked. An approved call
 * is handed over once.
 */
export async function askForHost(store: CallStore, call: HostCall): Promise<HostAnswer> {
  const { id, session } = call;
  const approvals = new Approvals(store);
  await approvals.expire();
  const known = await approvals.of(id);
  if (known?.answer) return answered(store, call, known);
  if (known) {
    const note = 'the agent was resumed before anybody had answered';
    await approvals.answer(known.id, { decision: 'withdraw', by: 'the agent', note });
    const withdrawn = await approvals.of(id);
    return answered(store, call, withdrawn!);
  }
  const { reason } = call.verdict;
  const asked = { ...(reason !== undefined && { reason }), hooks: call.hooks };
  const { riskOf } = await loadRisk();
  const open = await store.suspendForHost({
    id,
    workspace: call.workspace,
    session,
    tool: call.tool,
    input: JSON.stringify(call.input),
    judged: JSON.stringify(judgedOf(call)),
    asked: JSON.stringify(asked),
    risk: await riskOf(call.tool, call.input, call.folder),
    expiresAfter: call.expiresAfter,
  });
  return open === undefined
    ? { status: 'waits', approval: (await approvals.of(id))! }
    : {
        status: 'refused',
        reason: `${open} of this session is already waiting for an answer, and only one can: make this call again once it has been answered.`,
      };
}

const judgedOf = ({ input, verdict }: HostCall): Judged => ({
  toolInput: input,
  before: { verdict },
  failures: [],
});

/**
 * Ends an answered call. The host runs the tool; if the call is made again later, the caller is told that it
 * was handed over.
 */
async function answered(
  store: CallStore,
  { id, tool }: HostCall,
  approval: Approval,
): Promise<HostAnswer> {
  const answer = answerOf(approval);
  const toolInput = JSON.parse(approval.shown) as ToolInput;
  const isApproved = answer.type === 'answer' && answer.approved;
  const outcome: EndedCall = isApproved
    ? { id, status: 'done', toolInput, toolResult: { llmContent: handedOver, returnDisplay: '' } }
    : { id, status: 'cancelled', toolInput, toolResult: errorResult(answer.reason, 'refused') };
  const isHandedOver = await store.handOver(id, tool, JSON.stringify(outcome));
  if (!isApproved) return { status: 'refused', reason: answer.reason };
  return isHandedOver
    ? { status: 'approved', toolInput }
    : { status: 'refused', reason: `${handedOver} It may have run, and is not run again.` };
}

const handedOver = 'This call was handed over to the agent, which runs the tool itself.';
