import type { Queryable } from './postgres.ts';

/** One number, and what it is about. */
export interface Metric {
  /** Such as `hookmachine_questions_waiting`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics by name: their type and what they say. */
const about: Readonly<Record<string, readonly ['gauge' | 'counter', string]>> = {
  hookmachine_questions_waiting: ['gauge', 'Questions that nobody has answered.'],
  hookmachine_question_oldest_seconds: ['gauge', 'The age of the oldest unanswered question.'],
  hookmachine_answers: [
    'gauge',
    'Questions that were answered or have expired, until they are pruned.',
  ],
  hookmachine_answer_seconds: ['gauge', 'The sum of their times from the question to the answer.'],
  hookmachine_calls: ['gauge', 'Calls by their status.'],
  hookmachine_calls_unattended: [
    'gauge',
    'Calls that could continue, but that no living host works on.',
  ],
  hookmachine_hosts: ['gauge', 'Hosts that are alive.'],
  hookmachine_take_overs_total: ['counter', 'Calls that another host took over.'],
  hookmachine_leases_lost_total: [
    'counter',
    'Hosts that ended, or were away for too long, while they worked on calls.',
  ],
  hookmachine_cut_off_total: ['counter', 'Hooks and tools whose host ended while they ran.'],
};

const query = `
  select 'hookmachine_questions_waiting' as name, c.workspace, null as label, null as word, count(*)::float8 as value
  from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
  where a.decision is null and a.expires_at > now() group by c.workspace
  union all
  select 'hookmachine_question_oldest_seconds', c.workspace, null, null, extract(epoch from now() - min(a.asked_at))::float8
  from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
  where a.decision is null and a.expires_at > now() group by c.workspace
  union all
  select 'hookmachine_answers', c.workspace, 'decision', a.decision, count(*)::float8
  from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
  where a.decision is not null group by c.workspace, a.decision
  union all
  select 'hookmachine_answer_seconds', c.workspace, 'decision', a.decision,
    sum(extract(epoch from a.answered_at - a.asked_at))::float8
  from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
  where a.decision is not null group by c.workspace, a.decision
  union all
  select 'hookmachine_calls', workspace, 'status', status, count(*)::float8
  from hookmachine.calls group by workspace, status
  union all
  select 'hookmachine_calls_unattended', workspace, null, null, count(*)::float8 from hookmachine.calls
  where status = 'ready' or status = 'running' and not exists (
    select from hookmachine.hosts h where h.name = calls.host and h.seen_at >= now() - h.lease
  ) group by workspace
  union all
  select 'hookmachine_hosts', workspace, null, null, count(*)::float8
  from hookmachine.hosts where seen_at >= now() - lease group by workspace
  union all
  select 'hookmachine_' || name || '_total', workspace, null, null, value::float8 from hookmachine.counters
  order by 1, 2, 4`;

interface Row {
  readonly name: string;
  readonly workspace: string;
  readonly label: string | null;
  readonly word: string | null;
  readonly value: number;
}

/** Reads what a monitor watches: what waits and for how long, who lives, and what was lost. */
export async function metrics(database: Queryable): Promise<readonly Metric[]> {
  const { rows } = await database.query<Row>(query);
  return rows.map(({ name, workspace, label, word, value }) => ({
    name,
    labels: { workspace, ...(label !== null && word !== null && { [label]: word }) },
    value,
  }));
}

/** Counts, by workspace, the calls that could continue but that nobody works on. */
export async function unattended(
  database: Queryable,
): Promise<readonly { readonly workspace: string; readonly calls: number }[]> {
  const { rows } = await database.query<{ workspace: string; calls: number }>(
    `select workspace, count(*)::integer as calls from hookmachine.calls
     where status = 'ready' or status = 'running' and not exists (
       select from hookmachine.hosts h where h.name = calls.host and h.seen_at >= now() - h.lease
     ) group by workspace order by workspace`,
  );
  return rows;
}

/** Writes metrics in the text format of Prometheus. */
export function exposition(found: readonly Metric[]): string {
  const names = [...new Set(found.map(({ name }) => name))].filter((name) => name in about);
  return names
    .flatMap((name) => {
      const [type, help] = about[name]!;
      const own = found.filter((metric) => metric.name === name);
      return [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...own.map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(
      ([key, value]) =>
        `${key}="${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`,
    )
    .join(',');
