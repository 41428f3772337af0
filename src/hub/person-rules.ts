import type { ApprovalRow } from '../durable/database/approvals.ts';
import { type CallRow, unknownCall } from '../durable/database/calls.ts';
import type { Database } from '../durable/database/postgres.ts';
import { operations, type OperationName } from '../durable/database/store.ts';
import type { Role } from './known.ts';
import type { PersonScope } from './person-scope.ts';
import { answerAs } from './answer-as.ts';
import type { HubSettings } from './hub-settings.ts';
import { anAnswer, aFilter, aNumber, aPage, anId, readArguments } from './operation-arguments.ts';
import { refused } from './refused.ts';

/** What people who may not answer read in place of arguments. */
const withheld = 'only those who may answer see this';

/** A question as a person sees it: nothing if it is none of theirs. */
export function seenApproval(
  row: ApprovalRow | undefined,
  may: PersonScope,
): ApprovalRow | undefined {
  if (row === undefined || !may.sees(row.workspace)) return undefined;
  if (may.answers(row.workspace)) return row;
  return { ...row, shown: JSON.stringify({ withheld }), asked: JSON.stringify({ hooks: [] }) };
}

/** An operation for a person: what it does in their name. */
type PersonOperation = (
  hub: { readonly database: Database; readonly settings: HubSettings },
  may: PersonScope,
  given: readonly unknown[],
) => Promise<unknown>;

/** What people may do: read the questions of their workspaces, and answer them where they may. */
export const personOperations: Partial<Readonly<Record<OperationName, PersonOperation>>> = {
  approval: async ({ database }, may, given) => {
    const [asked] = readArguments([aNumber], given);
    return seenApproval(await operations.approval(database, asked), may);
  },
  approvalOf: async ({ database }, may, given) => {
    const [call] = readArguments([anId], given);
    return seenApproval(await operations.approvalOf(database, call), may);
  },
  approvals: async ({ database }, may, given) => {
    const [asked] = readArguments([aPage], given);
    const within = may.workspaces(...searchedAs(asked));
    const rows = await operations.approvals(database, { ...asked, within });
    return rows.map((row) => seenApproval(row, may));
  },
  countApprovals: async ({ database }, may, given) => {
    const [asked] = readArguments([aFilter], given);
    return operations.countApprovals(database, {
      ...asked,
      within: may.workspaces(...searchedAs(asked)),
    });
  },
  expireApprovals: ({ database }) => operations.expireApprovals(database),
  answerApproval: async ({ database, settings }, may, given) => {
    const [number, answer] = readArguments([aNumber, anAnswer], given);
    return answerAs({ database, settings }, may, { number, ...answer });
  },
  findCall: async ({ database }, may, given) => {
    const [call] = readArguments([anId], given);
    const row = await operations.findCall(database, call);
    assertAnswers(may, row);
    return row;
  },
  effectsOf: async ({ database }, may, given) => {
    const [call] = readArguments([anId], given);
    assertAnswers(may, await operations.findCall(database, call));
    return operations.effectsOf(database, call);
  },
  unattended: async ({ database }, may) => {
    const found = await operations.unattended(database);
    return found.filter(({ workspace }) => may.sees(workspace));
  },
  metrics: async ({ database }, may) => {
    const found = await operations.metrics(database);
    return found.filter(({ labels }) => may.sees(labels['workspace'] ?? ''));
  },
};

/** A search must not tell what the reader may not see. */
const searchedAs = ({ search }: { readonly search?: string | undefined }): readonly Role[] =>
  search === undefined ? [] : ['answers'];

function assertAnswers(may: PersonScope, { id, workspace }: CallRow): void {
  if (!may.sees(workspace)) throw unknownCall(id);
  if (!may.answers(workspace))
    throw refused(`what was done for a call is shown to those who may answer in ${workspace}`);
}
