import { z } from 'zod';
import type { OperationName } from '../durable/database/store.ts';
import type { MachineScope } from './machine-scope.ts';
import {
  text,
  json,
  id,
  count,
  number,
  lease,
  submission,
  filter,
  page,
  joining,
  waiting,
  decision,
  note,
  type Read,
  readArguments,
} from './operation-arguments.ts';
import { refused } from './refused.ts';
import { isWithin } from './workspaces.ts';

/** What a machine may do with one operation. */
export interface MachineRule {
  /**
   * Checks what a machine has sent, and returns what the operation is given instead.
   *
   * @throws {HookmachineError} `HUB_REFUSED`, `CALL_UNKNOWN`
   */
  readonly admit: (given: readonly unknown[], may: MachineScope) => Promise<readonly unknown[]>;
  /** Returns what the machine may see of the result. */
  readonly show?: (made: never, may: MachineScope) => unknown;
}

/** A rule about an operation that is given these things. */
const rule = <const Items extends readonly z.ZodType[]>(
  items: Items,
  admit: (given: Read<Items>, may: MachineScope) => Promise<unknown[] | void> | unknown[] | void,
  show?: MachineRule['show'],
): MachineRule => ({
  admit: async (given, may) => {
    const read = readArguments(items, given);
    return (await admit(read, may)) ?? read;
  },
  ...(show && { show }),
});

const ofOwnHost = rule([text, z.string()], ([host], may) => may.own(host));
const ofCall = rule([id], ([call], may) => may.call(call));
const ofLease = [lease] as const;

const submitting = rule([submission, text.optional()], ([submitted, host], may) => {
  may.workspace(submitted.workspace);
  if (host !== undefined) may.own(host);
  return [{ ...submitted, machine: may.name }, host];
});

interface WithWorkspace {
  readonly workspace: string;
}

const onlySeen = (found: WithWorkspace | undefined, may: MachineScope): unknown =>
  found && isWithin(may.workspaces, found.workspace) ? found : undefined;

/** What machines may do: work on the calls of their workspaces, and ask about them, but approve none. */
export const machineRules: Readonly<Record<OperationName, MachineRule>> = {
  submit: submitting,
  submitNew: submitting,
  submitAgain: submitting,
  findCall: ofCall,
  findLast: rule([id], () => undefined, onlySeen),
  takeReady: rule([text, text, id.optional()], ([workspace, host], may) => {
    may.workspace(workspace);
    may.own(host);
  }),
  takeWithin: rule([text, text, count], ([workspace, host], may) => {
    may.workspace(workspace);
    may.own(host);
  }),
  letGo: rule([...ofLease, z.object({ hasLeft: z.boolean() }).optional()], ([held], may) =>
    may.lease(held),
  ),
  keepPolicy: rule(
    [...ofLease, z.object({ digest: text, hooks: json }), z.boolean()],
    ([held], may) => may.lease(held),
  ),
  suspend: rule(
    [
      ...ofLease,
      z.object({ judged: json, shown: json, asked: json, expiresAfter: z.number().positive() }),
    ],
    ([held], may) => may.lease(held),
  ),
  end: rule([...ofLease, json], ([held], may) => may.lease(held)),

  claimEffect: rule([...ofLease, text, text, z.uuid(), count], async ([held, workspace], may) => {
    may.workspace(workspace);
    await may.lease(held);
  }),
  claimEffectAgain: rule([...ofLease, text, z.uuid(), z.uuid(), count], ([held], may) =>
    may.lease(held),
  ),
  interruptEffect: rule([...ofLease, text], ([held], may) => may.lease(held)),
  recordEffect: rule([...ofLease, text, json], ([held], may) => may.lease(held)),
  claimedEffects: ofCall,
  effectsOf: ofCall,

  isCopied: rule([], () => undefined),
  joinHost: rule([joining], ([host], may) => {
    may.own(host.name);
    may.workspace(host.workspace);
  }),
  extendHost: rule([text, z.uuid(), z.number().positive()], ([host], may) => may.own(host)),
  leaveHost: ofOwnHost,
  otherHosts: rule([text, text], ([workspace], may) => may.workspace(workspace)),
  takeOverHost: rule([text, text, text.optional()], ([workspace, host, ended], may) => {
    may.workspace(workspace);
    // Of the processes of other machines, it knows nothing.
    return [workspace, host, may.isOwn(host) ? (ended ?? null) : null];
  }),

  approval: rule([number], () => undefined, onlySeen),
  approvalOf: rule([id], () => undefined, onlySeen),
  approvals: rule([page], ([asked], may) => [{ ...asked, within: may.workspaces }]),
  countApprovals: rule([filter], ([asked], may) => [{ ...asked, within: may.workspaces }]),
  answerApproval: rule([number, decision, text, note], async ([question, answer, by, why], may) => {
    if (answer === 'approved')
      throw refused('a machine approves nothing: a person has to sign in to the hub');
    await may.question(question);
    return [question, answer, `${by} (${may.name})`, why];
  }),
  expireApprovals: rule([], () => undefined),
  takeUntold: rule([text, id.optional(), count], ([workspace], may) => may.workspace(workspace)),
  markTold: rule([number], ([question], may) => may.question(question)),

  lastBundleUse: rule([], () => undefined),
  usedBundles: rule([], () => undefined),
  bundleFiles: rule([text], () => undefined),

  suspendForHost: rule([waiting], ([call], may) => {
    may.workspace(call.workspace);
    return [{ ...call, machine: may.name }];
  }),
  handOver: rule([id, text, json], ([call], may) => may.call(call)),

  unattended: rule(
    [],
    () => undefined,
    (found: readonly WithWorkspace[], may: MachineScope) =>
      found.filter(({ workspace }) => isWithin(may.workspaces, workspace)),
  ),
  metrics: rule(
    [],
    () => undefined,
    (found: readonly { readonly labels: { readonly workspace?: string } }[], may: MachineScope) =>
      found.filter(({ labels }) => isWithin(may.workspaces, labels.workspace ?? '')),
  ),
};
