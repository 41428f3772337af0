import { assertArguments, oneOf, optional, positive, type Rule, text } from '../base/arguments.ts';
import { HookmachineError } from '../base/errors.ts';
import { digestOf } from '../durable/database/digest.ts';
import { type Database, openDatabase } from '../durable/database/postgres.ts';
import { assertMigrated } from '../durable/database/schema.ts';
import {
  type Grant,
  grantsOf,
  type Holder,
  type HolderRow,
  type Machine,
  machineFrom,
  type MachineRow,
  type Person,
  type PersonRow,
  roles,
} from './known.ts';
import { refused } from './refused.ts';
import { newToken } from './tokens.ts';

/** How long an invitation and a person's token can be used by default, in ms. */
const invitationLasts = 60 * 60 * 1_000;
const personTokenLasts = 90 * 24 * 60 * 60 * 1_000;

const name: Rule = {
  fits: (value) => typeof value === 'string' && /^[A-Za-z0-9][\w.@-]{0,99}$/.test(value),
  fix: 'use letters, digits, ".", "_", "-" and "@", at most 100',
};

const workspacesRule: Rule = {
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === 'string' && /^[^*]{0,1000}(?:\*|[^*])$/.test(one)),
  fix: 'pass the names of workspaces; a * at the end stands for all that begin so',
};

/** Who is known to a hub: machines, people, and what they may do. */
export class Members {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Invites a machine, or one that is known again: its earlier token ends once the invitation is used.
   *
   * @returns the code, which the machine can use once
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  async invite(invitation: {
    readonly name: string;
    readonly workspaces: readonly string[];
    readonly owner?: string | undefined;
    readonly by: string;
    /** How long the code can be used, in ms; default: an hour. */
    readonly lasts?: number | undefined;
  }): Promise<{ readonly code: string; readonly expiresAt: Date }> {
    const rules = { name, workspaces: workspacesRule, owner: optional(name), by: text, lasts: optional(positive) }; // prettier-ignore
    assertArguments('members.invite', invitation, rules);
    const { name: machine, workspaces, owner, by, lasts = invitationLasts } = invitation;
    const { token: code, digest } = newToken('invitation');
    const { rows } = await this.#database.query<{ expires_at: Date }>(
      `with machine as (
         insert into hookmachine.machines (name, workspaces, owner, invited_by) values ($1, $2, $3, $4)
         on conflict (name) do update set workspaces = excluded.workspaces, owner = excluded.owner,
           invited_by = excluded.invited_by, invited_at = now(), revoked_by = null, revoked_at = null
         returning name
       ) insert into hookmachine.tokens (digest, purpose, machine, expires_at)
         select $5, 'invitation', name, now() + $6 * interval '1 millisecond' from machine
         returning expires_at`,
      [machine, workspaces, owner ?? null, by, digest, lasts],
    );
    return { code, expiresAt: rows[0]!.expires_at };
  }

  /**
   * Takes an invitation, which ends, and gives the machine its token.
   *
   * @throws {HookmachineError} `HUB_REFUSED` if the code is unknown, was used or has expired
   */
  async enrol(
    code: string,
  ): Promise<{ readonly token: string } & Pick<Machine, 'name' | 'workspaces'>> {
    const { token, digest } = newToken('machine');
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query<Pick<Machine, 'name' | 'workspaces'>>(
        `with used as (
           update hookmachine.tokens set ended_at = now()
           where digest = $1 and purpose = 'invitation' and ended_at is null and expires_at > now()
           returning machine
         ) update hookmachine.machines set enrolled_at = now() from used
           where name = used.machine and revoked_at is null returning name, workspaces`,
        [digestOf(code)],
      );
      const [machine] = rows;
      if (machine === undefined)
        throw refused('this invitation is unknown, was used, or has expired: ask for another one');
      await connection.query(
        `update hookmachine.tokens set ended_at = now()
         where machine = $1 and purpose = 'machine' and ended_at is null`,
        [machine.name],
      );
      await connection.query(
        `insert into hookmachine.tokens (digest, purpose, machine) values ($1, 'machine', $2)`,
        [digest, machine.name],
      );
      return { token, ...machine };
    });
  }

  /**
   * Gives a machine another token. The one that it has ends a little later: the answer may be lost on its way.
   *
   * @throws {HookmachineError} `HUB_REFUSED` if the machine was revoked
   */
  async renew(machine: string): Promise<{ readonly token: string }> {
    const { token, digest } = newToken('machine');
    return this.#database.transaction(async (connection) => {
      await connection.query(
        `update hookmachine.tokens set expires_at = least(expires_at, now() + interval '10 minutes')
         where machine = $1 and purpose = 'machine' and ended_at is null`,
        [machine],
      );
      const { rows } = await connection.query(
        `insert into hookmachine.tokens (digest, purpose, machine)
         select $1, 'machine', name from hookmachine.machines where name = $2 and revoked_at is null
         returning digest`,
        [digest, machine],
      );
      if (rows.length === 0) throw refused(`the machine ${machine} was revoked`);
      return { token };
    });
  }

  /** Lists the machines, those that were revoked too. */
  async machines(): Promise<readonly Machine[]> {
    const { rows } = await this.#database.query<MachineRow>(
      'select * from hookmachine.machines order by name',
    );
    return rows.map(machineFrom);
  }

  /** Ends the tokens of a machine. Returns whether it had not been revoked before. */
  async revoke(machine: string, by: string): Promise<boolean> {
    assertArguments('members.revoke', { machine, by }, { machine: text, by: text });
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query(
        `update hookmachine.machines set revoked_by = $2, revoked_at = now()
         where name = $1 and revoked_at is null returning name`,
        [machine, by],
      );
      await connection.query(
        'update hookmachine.tokens set ended_at = now() where machine = $1 and ended_at is null',
        [machine],
      );
      return rows.length > 0;
    });
  }

  /** Adds a person, changes their address, or lets one back in who was removed. */
  async addPerson(person: {
    readonly name: string;
    readonly email?: string | undefined;
    readonly by: string;
  }): Promise<void> {
    assertArguments('members.addPerson', person, { name, email: optional(text), by: text });
    await this.#database.query(
      `insert into hookmachine.people (name, email, added_by) values ($1, lower($2), $3)
       on conflict (name) do update set email = coalesce(excluded.email, people.email),
         removed_by = null, removed_at = null`,
      [person.name, person.email ?? null, person.by],
    );
  }

  /**
   * Adds a person who is not known: neither the address of another one is changed, nor is one let back in.
   *
   * @throws {HookmachineError} `HUB_REFUSED` if the name or the address is known, `ARGUMENT_INVALID`
   */
  async addNewPerson(person: {
    readonly name: string;
    readonly email?: string | undefined;
    readonly by: string;
  }): Promise<void> {
    assertArguments('members.addNewPerson', person, { name, email: optional(text), by: text });
    const { rows } = await this.#database.query(
      `insert into hookmachine.people (name, email, added_by) values ($1, lower($2), $3)
       on conflict do nothing returning name`,
      [person.name, person.email ?? null, person.by],
    );
    if (rows.length === 0) throw refused(`it knows ${person.name}, or somebody with this address`);
  }

  /** Removes a person: their tokens and grants end. Returns whether they were known. */
  async removePerson(person: string, by: string): Promise<boolean> {
    assertArguments('members.removePerson', { person, by }, { person: text, by: text });
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query(
        `update hookmachine.people set removed_by = $2, removed_at = now()
         where name = $1 and removed_at is null returning name`,
        [person, by],
      );
      await connection.query('delete from hookmachine.grants where person = $1', [person]);
      await connection.query(
        'update hookmachine.tokens set ended_at = now() where person = $1 and ended_at is null',
        [person],
      );
      return rows.length > 0;
    });
  }

  /** @throws {HookmachineError} `ARGUMENT_INVALID` if there is no such person */
  async grant(
    given: Grant & {
      readonly person: string;
      readonly by: string;
      /** How long it is in force, in ms: a delegation ends by itself. Default: until it is taken back. */
      readonly lasts?: number | undefined;
    },
  ): Promise<void> {
    const rules = {
      person: text,
      workspaces: workspacesRule,
      role: oneOf(...roles),
      by: text,
      lasts: optional(positive),
    };
    assertArguments('members.grant', { ...given, workspaces: [given.workspace] }, rules);
    const { rows } = await this.#database.query(
      `with known as (select name from hookmachine.people where name = $1 and removed_at is null), made as (
         insert into hookmachine.grants (person, workspace, role, granted_by, expires_at)
         select name, $2, $3, $4, now() + $5 * interval '1 millisecond' from known
         on conflict (person, workspace, role) do update
           set expires_at = excluded.expires_at, granted_by = excluded.granted_by, granted_at = now()
       ) select name from known`,
      [given.person, given.workspace, given.role, given.by, given.lasts ?? null],
    );
    if (rows.length === 0) throw unknownPerson(given.person);
  }

  /** Takes a grant back. Returns whether there was one. */
  async takeBack({
    person,
    workspace,
    role,
  }: Grant & { readonly person: string }): Promise<boolean> {
    const { rows } = await this.#database.query(
      `delete from hookmachine.grants where person = $1 and workspace = $2 and role = $3 returning role`,
      [person, workspace, role],
    );
    return rows.length > 0;
  }

  /** Lists the people, those that were removed too. */
  async people(): Promise<readonly Person[]> {
    const { rows } = await this.#database.query<PersonRow>(
      `select p.*, ${grantsOf} as grants from hookmachine.people p order by p.name`,
    );
    return rows.map(({ name: person, email, grants, removed_at: removedAt }) => ({
      name: person,
      ...(email !== null && { email }),
      grants,
      ...(removedAt !== null && { removedAt }),
    }));
  }

  /**
   * Makes a token for a person, who signs in with it where there is no browser.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID` if there is no such person
   */
  async personToken(
    person: string,
    { purpose = 'person', lasts = personTokenLasts }: PersonTokenOptions = {},
  ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const { token, digest } = newToken(purpose);
    const { rows } = await this.#database.query<{ expires_at: Date }>(
      `insert into hookmachine.tokens (digest, purpose, person, expires_at)
       select $1, $2, name, now() + $4 * interval '1 millisecond' from hookmachine.people
       where name = $3 and removed_at is null returning expires_at`,
      [digest, purpose, person, lasts],
    );
    if (rows[0] === undefined) throw unknownPerson(person);
    return { token, expiresAt: rows[0].expires_at };
  }

  /** Ends a token, such as that of a session. */
  async endToken(token: string): Promise<void> {
    await this.#database.query(
      'update hookmachine.tokens set ended_at = now() where digest = $1 and ended_at is null',
      [digestOf(token)],
    );
  }

  /** Finds the person whom a provider of identities knows by this address. */
  async personOf(email: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ name: string }>(
      'select name from hookmachine.people where email = lower($1) and removed_at is null',
      [email],
    );
    return rows[0]?.name;
  }

  /** Returns who holds a token that is in force, and notes when a machine was seen, and with which release. */
  async holderOf(token: string, version?: string): Promise<Holder | undefined> {
    const { rows } = await this.#database.query<HolderRow>(
      `with found as (
         select machine, person from hookmachine.tokens
         where digest = $1 and purpose <> 'invitation' and ended_at is null and (expires_at is null or expires_at > now())
       ), seen as (
         update hookmachine.machines m set seen_at = now(), version = coalesce($2, m.version)
         from found where m.name = found.machine
           and (m.seen_at is null or m.seen_at < now() - interval '30 seconds' or m.version is distinct from coalesce($2, m.version))
       ) select f.machine, f.person, m.workspaces, ${grantsOf} as grants
         from found f left join hookmachine.machines m on m.name = f.machine
         left join hookmachine.people p on p.name = f.person
         where m.name is not null and m.revoked_at is null or p.name is not null and p.removed_at is null`,
      [digestOf(token), version ?? null],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const { machine, person, workspaces, grants } = row;
    return machine === null
      ? { kind: 'person', name: person!, grants }
      : { kind: 'machine', name: machine, workspaces: workspaces! };
  }

  async close(): Promise<void> {
    await this.#database.end();
  }
}

interface PersonTokenOptions {
  readonly purpose?: 'person' | 'session';
  /** How long it can be used, in ms; default: 90 days. */
  readonly lasts?: number | undefined;
}

const unknownPerson = (person: string): HookmachineError =>
  new HookmachineError(
    'ARGUMENT_INVALID',
    `The hub does not know ${person}: add this person first (hookmachine hub people add).`,
  );

/**
 * Opens what a hub knows, in a database that was migrated.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA`
 */
export async function openMembers(url: string): Promise<Members> {
  const database = await openDatabase(url, 'hookmachine hub');
  try {
    await assertMigrated(database);
    return new Members(database);
  } catch (error) {
    await database.end();
    throw error;
  }
}
