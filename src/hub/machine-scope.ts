import { unknownApproval } from '../durable/approvals.ts';
import { unknownCall } from '../durable/database/calls.ts';
import type { Lease } from '../durable/database/effects.ts';
import type { Database } from '../durable/database/postgres.ts';
import type { Holder } from './known.ts';
import { refused } from './refused.ts';
import { isWithin } from './workspaces.ts';

/** How many calls a hub remembers the workspace of. */
const most = 10_000;

/** The workspaces of calls, which never change. */
export class CallPlaces {
  readonly #database: Database;
  readonly #known = new Map<string, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {HookmachineError} `CALL_UNKNOWN` */
  async workspaceOf(call: string): Promise<string> {
    const known = this.#known.get(call);
    if (known !== undefined) return known;
    const { rows } = await this.#database.query<{ workspace: string }>(
      'select workspace from hookmachine.calls where id = $1',
      [call],
    );
    if (rows[0] === undefined) throw unknownCall(call);
    if (this.#known.size >= most) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(call, rows[0].workspace);
    return rows[0].workspace;
  }

  /** Returns the workspace of the call that a question is about, if there is one. */
  async askedIn(question: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ call: string }>(
      'select call from hookmachine.approvals where id = $1',
      [question],
    );
    return rows[0] && this.workspaceOf(rows[0].call);
  }
}

/** What one machine may touch. */
export class MachineScope {
  readonly name: string;
  readonly workspaces: readonly string[];
  readonly #places: CallPlaces;

  constructor(holder: Extract<Holder, { kind: 'machine' }>, places: CallPlaces) {
    this.name = holder.name;
    this.workspaces = holder.workspaces;
    this.#places = places;
  }

  /** @throws {HookmachineError} `HUB_REFUSED` */
  workspace(workspace: string): void {
    if (!isWithin(this.workspaces, workspace))
      throw refused(
        `machine ${this.name} is not in the workspace ${workspace}, only in ${this.workspaces.join(', ')}`,
      );
  }

  /** Whether a host runs on this machine. */
  isOwn(host: string): boolean {
    return host.startsWith(`${this.name}/`);
  }

  /** @throws {HookmachineError} `HUB_REFUSED` */
  own(host: string): void {
    if (!this.isOwn(host)) throw refused(`the host ${host} is not one of machine ${this.name}`);
  }

  /** @throws {HookmachineError} `HUB_REFUSED`, `CALL_UNKNOWN` */
  async call(call: string): Promise<void> {
    // That there is such a call elsewhere is none of its business.
    if (!isWithin(this.workspaces, await this.#places.workspaceOf(call))) throw unknownCall(call);
  }

  /** @throws {HookmachineError} `HUB_REFUSED`, `CALL_UNKNOWN` */
  async lease({ call, host }: Lease): Promise<void> {
    this.own(host);
    await this.call(call);
  }

  /** @throws {HookmachineError} `APPROVAL_UNKNOWN` */
  async question(question: string): Promise<void> {
    const workspace = await this.#places.askedIn(question);
    if (workspace === undefined || !isWithin(this.workspaces, workspace))
      throw unknownApproval(`ap-${question}`);
  }
}
