import type { ApprovalRow } from '../durable/database/approvals.ts';
import type { CallRow } from '../durable/database/calls.ts';
import type { Database } from '../durable/database/postgres.ts';
import { operations, type OperationName } from '../durable/database/store.ts';
import type { Grant, Holder, Role } from './members.ts';
import { isWithin } from './workspaces.ts';
import {
  aDecision,
  aFilter,
  aNote,
  aNumber,
  aPage,
  aText,
  anId,
  readArguments,
} from './operation-arguments.ts';
import { refused, unknownCall } from './refused.ts';

/** What one person may see and do. */
export class PersonScope {
  readonly name: string;
  readonly #grants: readonly Grant[];

  constructor({ name, grants }: Extract<Holder, { kind: 'person' }>) {
    this.name = name;
    this.#grants = grants;
  }

  /** The workspaces in which this person has one of these roles; without any, all that they see. */
  workspaces(...roles: readonly Role[]): readonly string[] {
    return this.#grants
      .filter(({ role }) => roles.length === 0 || roles.includes(role))
      .map(({ workspace }) => workspace);
  }

  sees(workspace: string): boolean {
    return isWithin(this.workspaces(), workspace);
  }

  /** Whether a machine with this pattern may have calls that this person sees. */
  mayShare(pattern: string): boolean {
    const prefix = pattern.replace(/\*$/, '');
    return this.workspaces().some(
      (own) => isWithin([own], prefix) || isWithin([pattern], own.replace(/\*$/, '')),
    );
  }

  answers(workspace: string): boolean {
    return isWithin(this.workspaces('answers'), workspace);
  }

  administers(workspace: string): boolean {
    return isWithin(this.workspaces('administers'), workspace);
  }
}

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
  database: Database,
  may: PersonScope,
  given: readonly unknown[],
) => Promise<unknown>;

/** What people may do: read the questions of their workspaces, and answer them where they may. */
export const personOperations: Partial<Readonly<Record<OperationName, PersonOperation>>> = {
  approval: async (database, may, given) => {
    const [asked] = readArguments([aNumber], given);
    return seenApproval(await operations.approval(database, asked), may);
  },
  approvalOf: async (database, may, given) => {
    const [call] = readArguments([anId], given);
    return seenApproval(await operations.approvalOf(database, call), may);
  },
  approvals: async (database, may, given) => {
    const [asked] = readArguments([aPage], given);
    const within = may.workspaces(...searchedAs(asked));
    const rows = await operations.approvals(database, { ...asked, within });
    return rows.map((row) => seenApproval(row, may));
  },
  countApprovals: async (database, may, given) => {
    const [asked] = readArguments([aFilter], given);
    return operations.countApprovals(database, {
      ...asked,
      within: may.workspaces(...searchedAs(asked)),
    });
  },
  expireApprovals: (database) => operations.expireApprovals(database),
  answerApproval: async (database, may, given) => {
    const [asked, answer, , why] = readArguments([aNumber, aDecision, aText, aNote], given);
    return answerAs(database, may, { number: asked, decision: answer, note: why });
  },
  findCall: async (database, may, given) => {
    const [call] = readArguments([anId], given);
    const row = await operations.findCall(database, call);
    assertAnswers(may, row);
    return row;
  },
  effectsOf: async (database, may, given) => {
    const [call] = readArguments([anId], given);
    assertAnswers(may, await operations.findCall(database, call));
    return operations.effectsOf(database, call);
  },
  unattended: async (database, may) => {
    const found = await operations.unattended(database);
    return found.filter(({ workspace }) => may.sees(workspace));
  },
  metrics: async (database, may) => {
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

/** An answer by a person. */
export interface PersonAnswer {
  readonly number: string;
  readonly decision: 'approved' | 'denied' | 'withdrawn';
  readonly note?: string | undefined;
}

/**
 * Answers a question in a person's name. Nobody approves a call of a machine of their own.
 *
 * @returns whether it counts: only the first answer does
 * @throws {HookmachineError} `HUB_REFUSED`, `CALL_UNKNOWN`
 */
export async function answerAs(
  database: Database,
  may: PersonScope,
  { number, decision, note }: PersonAnswer,
): Promise<boolean> {
  const { rows } = await database.query<{ workspace: string; owner: string | null }>(
    `select c.workspace, m.owner from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
     left join hookmachine.machines m on m.name = c.machine where a.id = $1`,
    [number],
  );
  const [asked] = rows;
  if (asked === undefined || !may.sees(asked.workspace)) throw unknownCall(`of ap-${number}`);
  if (!may.answers(asked.workspace))
    throw refused(`${may.name} may not answer questions of the workspace ${asked.workspace}`);
  if (decision === 'approved' && asked.owner === may.name)
    throw refused(`${may.name} may not approve a call of their own machine: somebody else has to`);
  return operations.answerApproval(database, number, decision, may.name, note, 'hub');
}
