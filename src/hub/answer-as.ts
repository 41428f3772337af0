import { unknownApproval } from '../durable/approvals.ts';
import type { Database } from '../durable/database/postgres.ts';
import type { Risk } from '../guards/risk.ts';
import { operations } from '../durable/database/store.ts';
import { type HubSettings, neededApprovals } from './hub-settings.ts';
import type { PersonScope } from './person-scope.ts';
import { refused } from './refused.ts';

/** An answer by a person. */
export interface PersonAnswer {
  readonly number: string;
  readonly decision: 'approved' | 'denied' | 'withdrawn';
  readonly note?: string | undefined;
  /** The arguments as JSON, to be judged and used in place of those that were shown. */
  readonly edited?: string | undefined;
}

/** Who has approved a question that needs several people. */
export interface Vote {
  readonly person: string;
  readonly voted_at: Date;
}

interface Asked {
  readonly workspace: string;
  readonly tool: string;
  readonly owner: string | null;
  readonly risk: Risk | null;
  readonly isOpen: boolean;
}

/**
 * Answers a question in a person's name. Nobody approves a call of a machine of their own. If several people
 * have to approve it, each approval is kept until there are enough; one denial denies it.
 *
 * @returns whether it counts, and how many more approvals the question needs
 * @throws {HookmachineError} `HUB_REFUSED`, `APPROVAL_UNKNOWN`
 */
export function answerAs(
  { database, settings }: { readonly database: Database; readonly settings: HubSettings },
  may: PersonScope,
  { number, decision, note, edited }: PersonAnswer,
): Promise<{ readonly isAccepted: boolean; readonly missing?: number }> {
  return database.transaction(async (connection) => {
    // Of several who approve at once, the last one finds the votes of the others.
    const { rows } = await connection.query<Asked>(
      `select c.workspace, c.tool, m.owner, a.risk, a.decision is null and a.expires_at > now() as "isOpen"
       from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
       left join hookmachine.machines m on m.name = c.machine where a.id = $1 for update of a`,
      [number],
    );
    const [asked] = rows;
    if (asked === undefined || !may.sees(asked.workspace)) throw unknownApproval(`ap-${number}`);
    if (!may.answers(asked.workspace))
      throw refused(`${may.name} may not answer questions of the workspace ${asked.workspace}`);
    if (decision === 'approved' && asked.owner === may.name)
      throw refused(
        `${may.name} may not approve a call of their own machine: somebody else has to`,
      );
    const needed = neededApprovals(settings, asked);
    const answer = (by: string, why: string | undefined) =>
      operations.answerApproval(connection, number, {
        decision,
        by,
        note: why,
        edited,
        through: 'hub',
      });
    if (decision !== 'approved' || needed === 1 || !asked.isOpen) return answer(may.name, note);
    if (edited !== undefined)
      throw refused(`ap-${number} needs ${needed} people, who must approve the same arguments: deny it, and say in the note what to change`); // prettier-ignore
    await connection.query(
      `insert into hookmachine.votes (approval, person, note) values ($1, $2, $3) on conflict do nothing`,
      [number, may.name, note ?? null],
    );
    const { rows: votes } = await connection.query<Vote & { readonly note: string | null }>(
      'select person, note from hookmachine.votes where approval = $1 order by voted_at, person',
      [number],
    );
    if (votes.length < needed) return { isAccepted: true, missing: needed - votes.length };
    const by = votes.map(({ person }) => person).join(', ');
    const notes = votes.flatMap((vote) => vote.note ?? []).join('; ');
    return answer(by, notes || undefined);
  });
}

/** Lists who has approved a question. */
export async function votesFor(database: Database, number: string): Promise<readonly Vote[]> {
  const { rows } = await database.query<Vote>(
    'select person, voted_at from hookmachine.votes where approval = $1 order by voted_at, person',
    [number],
  );
  return rows;
}
