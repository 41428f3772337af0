import { z } from 'zod';
import type { OperationName } from '../durable/database/store.ts';
import type { MachineScope } from './machine-scope.ts';
import {
  aCount,
  anAnswer,
  aFilter,
  aJoiningHost,
  aLease,
  aNumber,
  aPage,
  aRisk,
  aSubmission,
  aText,
  aWaitingCall,
  anId,
  readArguments,
  someJson,
  type Read,
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

const ofOwnHost = rule([aText, z.string()], ([host], may) => may.own(host));
const ofCall = rule([anId], ([call], may) => may.call(call));
const ofLease = [aLease] as const;

const submitting = rule([aSubmission, aText.optional()], ([submitted, host], may) => {
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
  findLast: rule([anId], () => undefined, onlySeen),
  takeReady: rule([aText, aText, anId.optional()], ([workspace, host], may) => {
    may.workspace(workspace);
    may.own(host);
  }),
  takeWithin: rule([aText, aText, aCount], ([workspace, host], may) => {
    may.workspace(workspace);
    may.own(host);
  }),
  letGo: rule([...ofLease, z.object({ hasLeft: z.boolean() }).optional()], ([held], may) =>
    may.lease(held),
  ),
  keepPolicy: rule(
    [...ofLease, z.object({ digest: aText, hooks: someJson }), z.boolean()],
    ([held], may) => may.lease(held),
  ),
  suspend: rule(
    [
      ...ofLease,
      z.object({
        judged: someJson,
        shown: someJson,
        asked: someJson,
        digest: aText.optional(),
        risk: aRisk.optional(),
        expiresAfter: z.number().positive(),
      }),
    ],
    ([held], may) => may.lease(held),
  ),
  end: rule([...ofLease, someJson], ([held], may) => may.lease(held)),

  claimEffect: rule(
    [...ofLease, aText, aText, z.uuid(), aCount],
    async ([held, workspace], may) => {
      may.workspace(workspace);
      await may.lease(held);
    },
  ),
  claimEffectAgain: rule([...ofLease, aText, z.uuid(), z.uuid(), aCount], ([held], may) =>
    may.lease(held),
  ),
  interruptEffect: rule([...ofLease, aText], ([held], may) => may.lease(held)),
  recordEffect: rule([...ofLease, aText, someJson], ([held], may) => may.lease(held)),
  claimedEffects: ofCall,
  effectsOf: ofCall,

  isCopied: rule([], () => undefined),
  joinHost: rule([aJoiningHost], ([host], may) => {
    may.own(host.name);
    may.workspace(host.workspace);
  }),
  extendHost: rule([aText, z.uuid(), z.number().positive()], ([host], may) => may.own(host)),
  leaveHost: ofOwnHost,
  otherHosts: rule([aText, aText], ([workspace], may) => may.workspace(workspace)),
  takeOverHost: rule([aText, aText, aText.optional()], ([workspace, host, ended], may) => {
    may.workspace(workspace);
    // Of the processes of other machines, it knows nothing.
    return [workspace, host, may.isOwn(host) ? (ended ?? null) : null];
  }),

  approval: rule([aNumber], () => undefined, onlySeen),
  approvalOf: rule([anId], () => undefined, onlySeen),
  approvals: rule([aPage], ([asked], may) => [{ ...asked, within: may.workspaces }]),
  countApprovals: rule([aFilter], ([asked], may) => [{ ...asked, within: may.workspaces }]),
  answerApproval: rule([aNumber, anAnswer], async ([question, { decision, by, note }], may) => {
    if (decision === 'approved')
      throw refused('a machine approves nothing: a person has to sign in to the hub');
    await may.question(question);
    return [question, { decision, by: `${by} (${may.name})`, note }];
  }),
  expireApprovals: rule([], () => undefined),
  takeUntold: rule([aText, anId.optional(), aCount], ([workspace], may) =>
    may.workspace(workspace),
  ),
  markTold: rule([aNumber], ([question], may) => may.question(question)),

  lastBundleUse: rule([], () => undefined),
  usedBundles: rule([aText], (_, may) => [may.name]),
  bundleFiles: rule([aText], () => undefined),

  suspendForHost: rule([aWaitingCall], ([call], may) => {
    may.workspace(call.workspace);
    return [{ ...call, machine: may.name }];
  }),
  handOver: rule([anId, aText, someJson], ([call], may) => may.call(call)),

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
