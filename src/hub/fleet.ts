import { isRecord } from '../base/json.ts';
import { type AuditSummary, summarize } from '../watch/audit/summary.ts';
import { type Database, openDatabase } from '../durable/database/postgres.ts';
import { assertMigrated } from '../durable/database/schema.ts';
import { Members } from './members.ts';
import { type Machine } from './known.ts';

/** An agent on a machine, as the machine has reported it. */
export interface FleetAgent {
  readonly agent: string;
  readonly version?: string;
  /** When it last called its guards, as in ISO 8601. */
  readonly lastSeen?: string;
  /** What is wrong with its guards. */
  readonly findings: readonly { readonly level: string; readonly message: string }[];
}

/** A machine, and what runs on it. */
export interface FleetMachine extends Machine {
  /** Absent if it has never reported. */
  readonly reportedAt?: Date;
  readonly agents: readonly FleetAgent[];
  /** The signed bundles that are installed there, such as `acme-guards@1.0.0`. */
  readonly policies: readonly string[];
}

/** What all machines of a hub run, and what was denied and failed there. */
export interface FleetReport {
  readonly machines: readonly FleetMachine[];
  /** What the audit logs that have arrived say. */
  readonly audit: AuditSummary;
}

interface ReportRow {
  readonly name: string;
  readonly report: string | null;
  readonly reported_at: Date | null;
}

/** How many lines are read at once. */
const batch = 1_000;

/**
 * Reports on the machines of a hub; `days` is how far back their audit logs are read, `sees` tells which machines
 * the reader may see.
 */
export async function fleetReport(
  database: Database,
  days: number,
  sees: (machine: Machine) => boolean = () => true,
): Promise<FleetReport> {
  const machines = (await new Members(database).machines()).filter(sees);
  const names = machines.map(({ name }) => name);
  const { rows } = await database.query<ReportRow>(
    'select name, report, reported_at from hookmachine.machines where name = any($1)',
    [names],
  );
  const reports = new Map(rows.map((row) => [row.name, row]));
  return {
    machines: machines.map((machine) => {
      const { report, reported_at: reportedAt } = reports.get(machine.name)!;
      return {
        ...machine,
        ...(reportedAt !== null && { reportedAt }),
        ...reported(report === null ? {} : JSON.parse(report)),
      };
    }),
    audit: await summarize(linesOf(database, names, days)),
  };
}

async function* linesOf(
  database: Database,
  machines: readonly string[],
  days: number,
): AsyncGenerator<string> {
  for (let last = '0'; ;) {
    const { rows } = await database.query<{ id: string; subject: string; body: string }>(
      `select id, subject, body from hookmachine.chain
       where kind = 'line' and subject = any($1) and added_at > now() - $2 * interval '1 day' and id > $3
       order by id limit ${batch}`,
      [machines, days, last],
    );
    for (const { id, subject, body } of rows) {
      last = id;
      yield lineOf(subject, body);
    }
    if (rows.length < batch) return;
  }
}

/** A line of a machine: what it says of its own name does not count. */
function lineOf(machine: string, text: string): string {
  const at = text.indexOf('{"v":');
  try {
    const line: unknown = JSON.parse(text.slice(at));
    return isRecord(line) ? JSON.stringify({ ...line, host: machine }) : text;
  } catch {
    return text;
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Reads what a machine has reported, of which nothing is taken for granted. */
function reported(report: unknown): Pick<FleetMachine, 'agents' | 'policies'> {
  if (!isRecord(report)) return { agents: [], policies: [] };
  return {
    policies: listIn(report['policies']).flatMap((one) => textIn(one) ?? []),
    agents: listIn(report['agents'])
      .filter(isRecord)
      .map(({ agent, version, lastSeen, findings }) => ({
        agent: textIn(agent) ?? '?',
        ...(textIn(version) !== undefined && { version: textIn(version)! }),
        ...(textIn(lastSeen) !== undefined && { lastSeen: textIn(lastSeen)! }),
        findings: listIn(findings)
          .filter(isRecord)
          .map(({ level, message }) => ({
            level: textIn(level) ?? 'warning',
            message: textIn(message) ?? '',
          })),
      })),
  };
}

/** Opens a database for a report. */
export async function withFleet<Made>(
  url: string,
  work: (database: Database) => Promise<Made>,
): Promise<Made> {
  const database = await openDatabase(url, 'hookmachine hub');
  try {
    await assertMigrated(database);
    return await work(database);
  } finally {
    await database.end();
  }
}
