import type { TokenCounts } from '../journal/entry.ts';
import type { AuditedCall, AuditLine } from './record.ts';

/** What hooks denied to a user. */
export interface Denials {
  readonly user: string;
  readonly host: string;
  /** The name of the tool, the model or the event. */
  readonly what: string;
  readonly by: string;
  readonly count: number;
  readonly lastAt: string;
  readonly lastReason?: string;
}

/** How often a hook failed or was skipped on a machine. */
export interface Failures {
  readonly hook: string;
  readonly source?: string;
  readonly host: string;
  readonly status: string;
  readonly count: number;
  readonly lastAt: string;
  readonly lastError?: string;
}

/** What the model calls of a user used. */
export interface UsedTokens {
  readonly user: string;
  readonly host: string;
  readonly model: string;
  readonly count: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The combined result of audit logs. */
export interface AuditSummary {
  readonly lines: number;
  /** The number of lines that do not belong to an audit log. */
  readonly unread: number;
  readonly from?: string;
  readonly to?: string;
  readonly sessions: number;
  readonly machines: readonly string[];
  readonly denials: readonly Denials[];
  readonly failures: readonly Failures[];
  readonly usage: readonly UsedTokens[];
  /** Machines with records that say that no hook of the system was on, with the number of such sessions. */
  readonly withoutGuards: readonly { readonly host: string; readonly sessions: number }[];
  /** Expected machines that have no records. */
  readonly missing: readonly string[];
}

type Open<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The statuses of a hook that failed or did not run at all. */
const failed: readonly string[] = ['failed', 'timedOut', 'untrusted', 'skipped'];

/** Summarizes lines of audit logs; `expected` lists machines that should be among them. */
export async function summarize(
  lines: AsyncIterable<string | undefined>,
  expected: readonly string[] = [],
): Promise<AuditSummary> {
  const denials = new Map<string, Open<Denials>>();
  const failures = new Map<string, Open<Failures>>();
  const usage = new Map<string, Open<UsedTokens>>();
  const sessions = new Set<string>();
  const unguarded = new Map<string, Set<string>>();
  const machines = new Set<string>();
  let [count, unread] = [0, 0];
  let [from, to] = [undefined as string | undefined, undefined as string | undefined];
  for await (const text of lines) {
    const line = text === undefined ? undefined : lineIn(text);
    if (line === undefined) {
      if (text?.trim() !== '') unread++;
      continue;
    }
    count++;
    const { at, host, user, session, guards } = line;
    if (from === undefined || at < from) from = at;
    if (to === undefined || at > to) to = at;
    machines.add(host);
    const id = JSON.stringify([host, user, session]);
    sessions.add(id);
    if (guards === 0) unguarded.set(host, (unguarded.get(host) ?? new Set()).add(id));
    if (line.kind === 'call' && line.usage) addUsage(usage, line, line.usage);
    for (const denial of denialsIn(line))
      add(denials, [user, host, denial.what, denial.by], denial);
    for (const one of failuresIn(line))
      add(failures, [one.hook, one.source, host, one.status], one);
  }
  return {
    lines: count,
    unread,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    sessions: sessions.size,
    machines: [...machines].toSorted(),
    denials: mostFirst(denials),
    failures: mostFirst(failures),
    usage: mostFirst(usage),
    withoutGuards: [...unguarded]
      .map(([host, ids]) => ({ host, sessions: ids.size }))
      .toSorted((one, other) => other.sessions - one.sessions),
    missing: expected.filter((host) => !machines.has(host)),
  };
}

/** Parses a line of an audit log, even after a prefix written by the system's log. */
function lineIn(text: string): AuditLine | undefined {
  const start = text.indexOf('{"v":');
  if (start === -1) return undefined;
  try {
    const line = JSON.parse(text.slice(start)) as Partial<AuditLine>;
    const isOurs =
      line.v === 1 &&
      [line.at, line.host, line.user, line.session, line.kind].every(
        (value) => typeof value === 'string',
      ) &&
      (line.kind !== 'call' || Array.isArray(line.events));
    return isOurs ? (line as AuditLine) : undefined;
  } catch {
    return undefined;
  }
}

function* denialsIn(line: AuditLine): Generator<Open<Denials>> {
  if (line.kind !== 'call') return;
  const { user, host, at, tool, name } = line;
  for (const { decision, by = 'settings', reason } of line.events)
    if (decision === 'deny' || decision === 'stop')
      yield {
        user,
        host,
        what: tool ?? name,
        by,
        count: 1,
        lastAt: at,
        ...(reason !== undefined && { lastReason: reason }),
      };
}

function* failuresIn(line: AuditLine): Generator<Open<Failures>> {
  const { host, at } = line;
  if (line.kind === 'skipped') {
    const [, hook = '?'] = /^hook "([^]*)" \(/.exec(line.text) ?? [];
    yield { hook, host, status: 'skipped', count: 1, lastAt: at, lastError: line.text };
  }
  if (line.kind !== 'call') return;
  for (const { hooks } of line.events)
    for (const { name, source, status, error } of hooks)
      if (failed.includes(status))
        yield {
          hook: name,
          ...(source !== undefined && { source }),
          host,
          status,
          count: 1,
          lastAt: at,
          ...(error !== undefined && { lastError: error }),
        };
}

function addUsage(
  used: Map<string, Open<UsedTokens>>,
  { user, host, name: model }: AuditedCall,
  { input = 0, output = 0, cached = 0 }: Partial<TokenCounts>,
): void {
  const key = JSON.stringify([user, host, model]);
  const before = used.get(key) ?? { user, host, model, count: 0, input: 0, cached: 0, output: 0 };
  used.set(key, {
    ...before,
    count: before.count + 1,
    input: before.input + input,
    cached: before.cached + cached,
    output: before.output + output,
  });
}

/** Adds an entry to the ones that it is counted with. */
function add<Counted extends { count: number; lastAt: string }>(
  all: Map<string, Counted>,
  about: readonly unknown[],
  one: Counted,
): void {
  const key = JSON.stringify(about);
  const known = all.get(key);
  if (known === undefined) all.set(key, one);
  else {
    const count = known.count + 1;
    if (one.lastAt >= known.lastAt) Object.assign(known, one);
    known.count = count;
  }
}

const mostFirst = <Counted extends { readonly count: number }>(
  all: ReadonlyMap<string, Counted>,
): Counted[] => [...all.values()].toSorted((one, other) => other.count - one.count);
