import { HookmachineError } from '../../base/errors.ts';
import { type Database, lockKey, type Queryable } from './postgres.ts';

/** The format of the texts in a row. Rows of a newer format are left alone. */
export const format = 1;

/** What each version adds to the previous one. A version that was released is never changed. */
const migrations: readonly string[] = [
  `
  create table hookmachine.hosts (
    name text primary key,
    workspace text not null,
    pid integer not null,
    backend integer not null,
    joined_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  );
  create table hookmachine.policies (
    digest text primary key,
    hooks text not null,
    first_seen_at timestamptz not null default now()
  );
  create table hookmachine.calls (
    id text primary key,
    format integer not null,
    workspace text not null,
    session text,
    tool text not null,
    input text not null,
    status text not null check (status in ('running', 'suspended', 'ready', 'ended')),
    lease integer not null default 1,
    host text,
    attempts integer not null default 0,
    judged text,
    policy text references hookmachine.policies,
    policy_resumed text references hookmachine.policies,
    outcome text,
    submitted_at timestamptz not null default now(),
    ready_at timestamptz not null default now(),
    ended_at timestamptz
  );
  create index on hookmachine.calls (workspace, ready_at) where status = 'ready';
  create index on hookmachine.calls (workspace, host) where status = 'running';
  create table hookmachine.effects (
    call text not null references hookmachine.calls on delete cascade,
    name text not null,
    token uuid not null,
    host text not null,
    pid integer not null,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    outcome text,
    primary key (call, name)
  );
  create table hookmachine.approvals (
    id bigint generated always as identity primary key,
    call text not null unique references hookmachine.calls on delete cascade,
    shown text not null,
    digest text not null,
    asked text not null,
    asked_at timestamptz not null default now(),
    expires_at timestamptz not null,
    decision text check (decision in ('approved', 'denied', 'expired', 'withdrawn')),
    answered_by text,
    answered_as text,
    note text,
    answered_at timestamptz
  );
  create index on hookmachine.approvals (expires_at) where decision is null;
  `,
  `
  create table hookmachine.bundles (
    digest text primary key,
    name text not null,
    version text not null,
    signer text not null,
    pushed_by text,
    pushed_as text not null default current_user,
    pushed_at timestamptz not null default now(),
    unique (name, version)
  );
  create table hookmachine.bundle_files (
    digest text not null references hookmachine.bundles on delete cascade,
    path text not null,
    mode text not null check (mode in ('644', '755')),
    bytes bytea not null,
    primary key (digest, path)
  );
  create table hookmachine.bundle_uses (
    id bigint generated always as identity primary key,
    name text not null,
    digest text references hookmachine.bundles,
    used_by text,
    used_as text not null default current_user,
    used_at timestamptz not null default now()
  );
  create index on hookmachine.bundle_uses (name, id);
  `,
  `
  alter table hookmachine.calls add column is_callers boolean not null default false;
  alter table hookmachine.effects add column begun integer not null default 1;
  `,
  // An answer without a decision was a question lost: it is asked again, unless its call has ended.
  `
  with lost as (
    update hookmachine.approvals a
    set decision = case when c.status = 'ended' then 'withdrawn' end,
      answered_by = case when c.status = 'ended' then coalesce(a.answered_by, 'nobody') end,
      answered_as = case when c.status = 'ended' then a.answered_as end,
      answered_at = case when c.status = 'ended' then a.answered_at end,
      note = case when c.status = 'ended' then a.note end
    from hookmachine.calls c
    where c.id = a.call and a.decision is null and a.answered_at is not null returning a.call
  ) update hookmachine.calls
    set status = 'suspended', host = null, lease = lease + 1, attempts = 1
    from lost where calls.id = lost.call and calls.status <> 'ended';
  update hookmachine.approvals set answered_by = coalesce(answered_as, 'nobody')
    where decision in ('approved', 'denied', 'withdrawn') and answered_by is null;
  update hookmachine.approvals set answered_at = now() where decision is not null and answered_at is null;
  alter table hookmachine.approvals add constraint approvals_answered check (
    case
      when decision is null then answered_by is null and answered_at is null
      when decision = 'expired' then answered_at is not null
      else answered_by is not null and answered_at is not null
    end
  );
  `,
  // A host is alive until its lease ends, by the clock of the database.
  `
  delete from hookmachine.hosts;
  alter table hookmachine.hosts
    drop column backend,
    add column instance uuid not null,
    add column lease interval not null,
    add column process text;
  create index on hookmachine.approvals (id) where decision is null;
  alter table hookmachine.approvals add column telling_at timestamptz, add column told_at timestamptz;
  update hookmachine.approvals set told_at = asked_at;
  create index on hookmachine.approvals (id) where told_at is null and decision is null;
  alter table hookmachine.calls add column pruned_at timestamptz;
  create index on hookmachine.calls (ended_at) where pruned_at is null;
  create table hookmachine.holds (
    id bigint generated always as identity primary key,
    workspace text,
    session text,
    call text,
    note text not null,
    placed_by text not null,
    placed_as text not null default current_user,
    placed_at timestamptz not null default now(),
    lifted_by text,
    lifted_as text,
    lifted_at timestamptz,
    check (num_nonnulls(workspace, session, call) > 0)
  );
  create table hookmachine.counters (
    workspace text not null,
    name text not null,
    value bigint not null,
    primary key (workspace, name)
  );
  create function hookmachine.tell(workspace text, call text) returns void language sql as $$
    select pg_notify(
      'hookmachine_' || left(encode(sha256(convert_to(workspace, 'UTF8')), 'hex'), 32),
      case when octet_length(call) < 4000 then call else '' end
    )
  $$;
  `,
  // A hub stands between the database and machines that have no access to it.
  `
  create table hookmachine.machines (
    name text primary key,
    workspaces text[] not null,
    owner text,
    invited_by text not null,
    invited_at timestamptz not null default now(),
    enrolled_at timestamptz,
    seen_at timestamptz,
    version text,
    report text,
    reported_at timestamptz,
    revoked_by text,
    revoked_at timestamptz
  );
  create table hookmachine.people (
    name text primary key,
    email text unique,
    added_by text not null,
    added_at timestamptz not null default now(),
    removed_by text,
    removed_at timestamptz
  );
  create table hookmachine.grants (
    person text not null references hookmachine.people on delete cascade,
    workspace text not null,
    role text not null check (role in ('sees', 'answers', 'administers')),
    granted_by text not null,
    granted_at timestamptz not null default now(),
    expires_at timestamptz,
    primary key (person, workspace, role)
  );
  create table hookmachine.votes (
    approval bigint not null references hookmachine.approvals on delete cascade,
    person text not null,
    note text,
    voted_at timestamptz not null default now(),
    primary key (approval, person)
  );
  create table hookmachine.notices (
    approval bigint not null references hookmachine.approvals on delete cascade,
    channel text not null,
    attempts integer not null default 1,
    next_at timestamptz not null,
    told_at timestamptz,
    problem text,
    primary key (approval, channel)
  );
  create table hookmachine.chain (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('call', 'line')),
    subject text not null,
    body text not null,
    digest text not null,
    added_at timestamptz not null default now()
  );
  create index on hookmachine.chain (kind, subject);
  create table hookmachine.intake (
    machine text not null references hookmachine.machines on delete cascade,
    source text not null,
    position bigint not null,
    primary key (machine, source)
  );
  create table hookmachine.sessions (
    id bigint generated always as identity primary key,
    machine text not null references hookmachine.machines on delete cascade,
    session text not null,
    person text,
    project text,
    payloads boolean not null default false,
    started_at timestamptz not null,
    last_at timestamptz not null,
    calls integer not null default 0,
    denied integer not null default 0,
    bytes bigint not null default 0,
    unique (machine, session)
  );
  create index on hookmachine.sessions (last_at);
  create table hookmachine.session_journals (
    machine text not null references hookmachine.machines on delete cascade,
    journal text not null,
    session bigint not null references hookmachine.sessions on delete cascade,
    primary key (machine, journal)
  );
  create table hookmachine.session_entries (
    id bigint generated always as identity primary key,
    session bigint not null references hookmachine.sessions on delete cascade,
    body text not null
  );
  create index on hookmachine.session_entries (session, id);
  create table hookmachine.tokens (
    digest text primary key,
    purpose text not null check (purpose in ('invitation', 'machine', 'person', 'session')),
    machine text references hookmachine.machines on delete cascade,
    person text references hookmachine.people on delete cascade,
    made_at timestamptz not null default now(),
    expires_at timestamptz,
    ended_at timestamptz,
    check (num_nonnulls(machine, person) = 1)
  );
  alter table hookmachine.bundle_uses add column share integer not null default 100 check (share between 1 and 100);
  alter table hookmachine.calls add column machine text, add column sealed boolean not null default false;
  create index on hookmachine.calls (ended_at) where status = 'ended' and not sealed;
  alter table hookmachine.approvals add column answered_through text, add column edited text, add column risk text;
  `,
];

/** The version that this release creates and reads. */
export const schemaVersion = migrations.length;

/** Returns the version that a database has; 0 if it was never migrated. */
export async function versionOf(database: Queryable): Promise<number> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `select to_regclass('hookmachine.version') is not null as there`,
  );
  if (found[0]?.there !== true) return 0;
  const { rows } = await database.query<{ version: number }>(
    'select coalesce(max(version), 0)::integer as version from hookmachine.version',
  );
  return rows[0]?.version ?? 0;
}

/**
 * Brings a database to the version of this release; hosts that do so at the same time wait for one another.
 */
export function migrate(
  database: Database,
): Promise<{ readonly from: number; readonly to: number }> {
  return database.transaction(async (connection) => {
    await connection.query(`select pg_advisory_xact_lock(${lockKey('migrate')})`);
    const from = await versionOf(connection);
    assertNotNewer(from);
    if (from > 0 && from < 5) await assertNoneConnected(connection);
    if (from === 0) {
      await connection.query('create schema if not exists hookmachine');
      await connection.query(
        'create table hookmachine.version (version integer primary key, migrated_at timestamptz not null default now())',
      );
    }
    for (const [index, text] of migrations.entries()) {
      if (index < from) continue;
      await connection.query(text);
      await connection.query('insert into hookmachine.version (version) values ($1)', [index + 1]);
    }
    return { from, to: schemaVersion };
  });
}

/**
 * The hosts of versions before 5 prove that they are alive by a lock of their session, which later ones do not
 * look for.
 *
 * @throws {HookmachineError} `DATABASE_SCHEMA` if such a host is running
 */
async function assertNoneConnected(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select distinct h.name from hookmachine.hosts h join pg_locks l on l.pid = h.backend
     where l.locktype = 'advisory' and l.granted order by h.name`,
  );
  if (rows.length > 0)
    throw new HookmachineError(
      'DATABASE_SCHEMA',
      `Hosts of an earlier release are running: ${rows.map(({ name }) => name).join(', ')}. Stop them before you migrate.`,
    );
}

/** @throws {HookmachineError} `DATABASE_SCHEMA` unless the database has the version of this release */
export async function assertMigrated(database: Queryable): Promise<void> {
  const version = await versionOf(database);
  assertNotNewer(version);
  if (version < schemaVersion)
    throw new HookmachineError(
      'DATABASE_SCHEMA',
      `The database ${version === 0 ? 'has no hookmachine tables' : `is at version ${version}, but this release needs ${schemaVersion}`}; run: hookmachine durable migrate`,
    );
}

/** The rights that a host needs on the tables; it would not get far without them. */
const needed = {
  hosts: ['select', 'insert', 'update', 'delete'],
  policies: ['select', 'insert'],
  calls: ['select', 'insert', 'update'],
  effects: ['select', 'insert', 'update'],
  approvals: ['select', 'insert'],
  bundles: ['select'],
  bundle_files: ['select'],
  bundle_uses: ['select'],
  counters: ['select', 'insert', 'update'],
};

/** The columns of `approvals` that a host updates. */
const neededColumns = [
  'decision',
  'answered_by',
  'answered_as',
  'note',
  'answered_at',
  'telling_at',
  'told_at',
];

/** @throws {HookmachineError} `DATABASE_ROLE` if the role of a host lacks a right */
export async function assertGranted(database: Queryable): Promise<void> {
  const pairs = Object.entries(needed).flatMap(([table, rights]) =>
    rights.map((right) => [`hookmachine.${table}`, right] as const),
  );
  const { rows } = await database.query<{ role: string; lacks: string }>(
    `select current_user as role, upper(p.right) || ' on ' || p.name as lacks
     from unnest($1::text[], $2::text[]) p(name, "right")
     where not has_table_privilege(p.name, p.right)
     union all select current_user, 'UPDATE (' || string_agg(c.name, ', ') || ') on hookmachine.approvals'
     from unnest($3::text[]) c(name)
     where not has_column_privilege('hookmachine.approvals', c.name, 'update') having count(*) > 0`,
    [pairs.map(([table]) => table), pairs.map(([, right]) => right), neededColumns],
  );
  if (rows.length > 0)
    throw new HookmachineError(
      'DATABASE_ROLE',
      `The role "${rows[0]!.role}" lacks what a host needs: ${rows.map(({ lacks }) => lacks).join(', ')}; have the owner of the tables grant it`,
    );
}

function assertNotNewer(version: number): void {
  if (version > schemaVersion)
    throw new HookmachineError(
      'DATABASE_SCHEMA',
      `The database is at version ${version}, which is newer than this release supports (${schemaVersion}); upgrade hookmachine on this host`,
    );
}
