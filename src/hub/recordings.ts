import { isTooDeep } from '../base/json.ts';
import type { Database, Queryable } from '../durable/database/postgres.ts';
import type { JournalEntry, RecordingHeader } from '../watch/journal/entry.ts';
import { headerOf } from '../watch/journal/header.ts';
import { faultOf, timeFaultOf } from '../watch/journal/is-entry.ts';
import { withoutPayloads } from '../watch/journal/without-payloads.ts';
import type { Holder } from './known.ts';
import type { HubSettings } from './hub-settings.ts';
import { isWithin } from './workspaces.ts';

type MachineHolder = Extract<Holder, { kind: 'machine' }>;

/** How much of one session is kept, in characters: a page could not show more. */
const mostOfSession = 64 * 1024 * 1024;

/** How many sessions are deleted in one statement. */
const batch = 100;

/** A session of an agent on some machine, as far as its recording has arrived. */
export interface RecordedSession {
  /** By which the hub's pages name it. */
  readonly id: string;
  readonly machine: string;
  /** The agent's own id of it. */
  readonly session: string;
  readonly person: string | null;
  readonly project: string | null;
  readonly payloads: boolean;
  readonly started_at: Date;
  readonly last_at: Date;
  readonly calls: number;
  readonly denied: number;
}

/** What is read of a session. */
const shown = 'id, machine, session, person, project, payloads, started_at, last_at, calls, denied';

/** Which sessions are listed. */
export interface SessionPage {
  readonly machines: readonly string[];
  readonly limit: number;
  /** Only those whose last entry is older, as in ISO 8601. */
  readonly before?: string | undefined;
  /** Only those in which something was denied. */
  readonly denied?: boolean | undefined;
}

/** What of a recording belongs to one session. */
interface Part {
  header: RecordingHeader | undefined;
  readonly lines: string[];
  first: number;
  last: number;
  calls: number;
  denied: number;
  payloads: boolean;
}

/** Whether a machine may send payloads: all its workspaces must allow it. */
export const takesPayloads = (
  { recordings }: HubSettings,
  { workspaces }: MachineHolder,
): boolean => workspaces.every((pattern) => isWithin(recordings.payloads, pattern));

/** The recordings of the sessions that agents had on the machines of a hub. */
export class Recordings {
  readonly #database: Database;
  readonly #settings: HubSettings;

  constructor(database: Database, settings: HubSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** Keeps lines of a machine's recording; those that are no entries are left out. */
  async keep(
    connection: Queryable,
    machine: MachineHolder,
    lines: readonly string[],
  ): Promise<void> {
    const mayHavePayloads = takesPayloads(this.#settings, machine);
    const journals = await this.#journals(connection, machine.name, lines);
    const parts = new Map<string, Part>();
    for (const line of lines) {
      const value = parsed(line);
      const header = headerOf(value);
      if (header === 'newer') continue;
      if (header !== undefined) {
        const { journal, session } = header;
        if (journal === undefined || session === undefined || timeFaultOf(header) !== undefined) continue; // prettier-ignore
        journals.set(journal, session);
        partOf(parts, session, header.at).header ??= header;
        continue;
      }
      if (value === undefined || faultOf(value) !== undefined) continue;
      const entry = mayHavePayloads ? (value as JournalEntry) : withoutPayloads(value as JournalEntry); // prettier-ignore
      if (entry === undefined || entry.kind === 'warned') continue;
      if (entry.kind === 'started') journals.set(journalOf(entry.id), entry.session);
      const session = journals.get(journalOf(entry.id));
      if (session === undefined) continue;
      const part = partOf(parts, session, entry.at);
      part.lines.push(JSON.stringify(entry));
      part.payloads ||= 'payload' in entry;
      count(part, entry);
    }
    for (const [session, part] of parts) await store(connection, machine.name, session, part);
    await keepJournals(connection, machine.name, journals);
  }

  /** Finds the sessions that runs before these lines belonged to. */
  async #journals(connection: Queryable, machine: string, lines: readonly string[]) {
    const named = new Set(lines.flatMap((line) => /"id":"(\w{1,40})-\d+"/.exec(line)?.[1] ?? []));
    const { rows } = await connection.query<{ journal: string; session: string }>(
      `select j.journal, s.session from hookmachine.session_journals j join hookmachine.sessions s on s.id = j.session
       where j.machine = $1 and j.journal = any($2)`,
      [machine, [...named]],
    );
    return new Map(rows.map(({ journal, session }) => [journal, session]));
  }

  /** Lists sessions, the latest first. */
  async list({
    machines,
    limit,
    before,
    denied = false,
  }: SessionPage): Promise<readonly RecordedSession[]> {
    const { rows } = await this.#database.query<RecordedSession>(
      `select ${shown} from hookmachine.sessions where machine = any($1) and ($2::timestamptz is null or last_at < $2) and (not $3 or denied > 0)
       order by last_at desc limit $4`,
      [machines, before ?? null, denied, limit],
    );
    return rows;
  }

  async find(id: string): Promise<RecordedSession | undefined> {
    const { rows } = await this.#database.query<RecordedSession>(
      `select ${shown} from hookmachine.sessions where id = $1`,
      [id],
    );
    return rows[0];
  }

  /** Yields the entries of a session, as they arrived. */
  async *entries(id: string): AsyncGenerator<JournalEntry> {
    for (let last = '0'; ;) {
      const { rows } = await this.#database.query<{ id: string; body: string }>(
        'select id, body from hookmachine.session_entries where session = $1 and id > $2 order by id limit 20',
        [id, last],
      );
      for (const { id: part, body } of rows) {
        last = part;
        for (const line of body.split('\n')) yield JSON.parse(line) as JournalEntry;
      }
      if (rows.length < 20) return;
    }
  }

  /** Deletes sessions that ended long ago, unless a hold keeps them; returns how many. */
  async prune(): Promise<number> {
    for (let total = 0; ;) {
      const { rows } = await this.#database.query(
        `delete from hookmachine.sessions where id in (
           select s.id from hookmachine.sessions s join hookmachine.machines m on m.name = s.machine
           where s.last_at < now() - $1 * interval '1 millisecond' and not exists (
             select from hookmachine.holds h where h.lifted_at is null and h.call is null
               and (h.session is null or h.session = s.session)
               and (h.workspace is null or exists (
                 select from unnest(m.workspaces) w
                 where h.workspace = w or (w like '%*' and starts_with(h.workspace, left(w, -1))))))
           limit ${batch} for update of s skip locked) returning id`,
        [this.#settings.recordings.keep],
      );
      total += rows.length;
      if (rows.length < batch) return total;
    }
  }
}

const parsed = (line: string): unknown => {
  if (isTooDeep(line)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** The journal that a run belongs to, by its id. */
const journalOf = (run: string): string => run.slice(0, Math.max(0, run.lastIndexOf('-')));

function partOf(parts: Map<string, Part>, session: string, at: number): Part {
  const known = parts.get(session);
  const part = known ?? { header: undefined, lines: [], first: at, last: at, calls: 0, denied: 0, payloads: false }; // prettier-ignore
  if (known === undefined) parts.set(session, part);
  part.first = Math.min(part.first, at);
  part.last = Math.max(part.last, at);
  return part;
}

function count(part: Part, entry: JournalEntry): void {
  if (entry.kind === 'verdict' && (entry.blocked || entry.stop)) part.denied += 1;
  if (entry.kind !== 'started') return;
  const { machine, parent } = entry;
  const isCall = machine === 'toolCall' || machine === 'modelCall';
  if (isCall || (machine === 'hookEvent' && parent === undefined)) part.calls += 1;
}

async function store(
  connection: Queryable,
  machine: string,
  session: string,
  { header, lines, first, last, calls, denied, payloads }: Part,
): Promise<void> {
  const body = lines.join('\n');
  const texts = [machine, session, header?.user, header?.project].map(storable);
  const times = [first, last].map((at) => Math.min(Math.max(at, 0), Date.now()) / 1_000);
  const { rows } = await connection.query<{ id: string; bytes: string }>(
    `insert into hookmachine.sessions as s (machine, session, person, project, payloads, started_at, last_at, calls, denied, bytes)
     values ($1, $2, $3, $4, $5, to_timestamp($6), to_timestamp($7), $8, $9, $10)
     on conflict (machine, session) do update set
       person = coalesce(s.person, excluded.person), project = coalesce(s.project, excluded.project),
       payloads = s.payloads or excluded.payloads, started_at = least(s.started_at, excluded.started_at),
       last_at = greatest(s.last_at, excluded.last_at), calls = s.calls + excluded.calls,
       denied = s.denied + excluded.denied, bytes = s.bytes + excluded.bytes
     returning id, bytes`,
    [...texts, payloads, ...times, calls, denied, body.length],
  );
  const { id, bytes } = rows[0]!;
  if (lines.length > 0 && Number(bytes) <= mostOfSession)
    await connection.query(
      'insert into hookmachine.session_entries (session, body) values ($1, $2)',
      [id, body],
    );
}

/** Remembers to which session the runs of a journal belong. */
async function keepJournals(
  connection: Queryable,
  machine: string,
  journals: ReadonlyMap<string, string>,
): Promise<void> {
  await connection.query(
    `insert into hookmachine.session_journals (machine, journal, session)
     select $1, j.journal, s.id from unnest($2::text[], $3::text[]) as j (journal, session)
     join hookmachine.sessions s on s.machine = $1 and s.session = j.session
     on conflict (machine, journal) do update set session = excluded.session`,
    [machine, [...journals.keys()].map(storable), [...journals.values()].map(storable)],
  );
}

/** A text that the database can store: it has no NUL. */
const storable = (text: string | undefined): string | null => text?.replaceAll('\0', '') ?? null;
