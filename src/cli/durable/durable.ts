import type { Command } from 'commander';
import type { Audit, AuditedEffect } from '../../durable/audit.ts';
import { checkDatabase, migrateDatabase, openRecords } from '../../durable/records.ts';
import { oneLine } from '../../base/log.ts';
import { exposition } from '../../durable/database/metrics.ts';
import { addChain } from './durable-chain.ts';
import { addDurablePolicy } from './durable-policy.ts';
import { addRetention } from './durable-retention.ts';
import { databaseUrl, reported, withCalls } from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { counted } from '../../base/counted.ts';

/** `hookmachine durable`: the database behind durable calls. */
export function addDurable(program: Command): void {
  const durable = program
    .command('durable')
    .description('manage the database behind durable calls');
  durable
    .command('migrate')
    .description("make hookmachine's tables, or bring them up to date")
    .option('--json', 'as one JSON object')
    .action(({ json }: { readonly json?: true }) =>
      reported(async () => {
        const { from, to } = await migrateDatabase(databaseUrl());
        if (json) return print(`${printableJson({ from, to })}\n`);
        print(from === to ? `the tables are at version ${to}\n` : `the tables went from version ${from} to ${to}\n`); // prettier-ignore
      }),
    );
  durable
    .command('check')
    .description('check the database, and list the hosts that take part')
    .option('--json', 'as one JSON object')
    .action(({ json }: { readonly json?: true }) => reported(() => check(json === true)));
  durable
    .command('audit')
    .argument('<call>', 'the id of a call')
    .description(
      'show what was done for a call: each hook and the tool, with host, times and how it ended',
    )
    .option('--json', 'as one JSON object, with everything that hooks printed')
    .action((id: string, { json }: { readonly json?: true }) =>
      withCalls(async (records) => {
        const audited = await records.audit(id);
        print(json ? `${printableJson(audited, 2)}\n` : printable(shown(audited)));
      }),
    );
  durable
    .command('metrics')
    .description('print what a monitor watches, in the text format of Prometheus')
    .option('--json', 'as one JSON array')
    .action(({ json }: { readonly json?: true }) =>
      withCalls(async (records) => {
        const found = await records.metrics();
        print(json ? `${printableJson(found, 2)}\n` : printable(exposition(found)));
      }),
    );
  addChain(durable);
  addRetention(durable);
  addDurablePolicy(durable);
}

async function check(isJson: boolean): Promise<void> {
  const url = databaseUrl();
  const { version, needed } = await checkDatabase(url);
  const fix = version < needed ? '; run: hookmachine durable migrate' : '';
  const line = `the tables are at version ${version}, and this release needs ${needed}${fix}\n`;
  if (version !== needed) {
    print(isJson ? `${printableJson({ version, needed })}\n` : line);
    process.exitCode = 1;
    return;
  }
  const records = await openRecords(url);
  try {
    const [hosts, waiting, questions] = await Promise.all([
      records.hosts(),
      records.waiting(),
      records.approvals.count(),
    ]);
    if (isJson) return print(`${printableJson({ version, needed, hosts, waiting, questions }, 2)}\n`); // prettier-ignore
    const lines = [
      ...hosts.map(
        ({ name, workspace, seenAt, isAlive }) =>
          `host ${name} of ${workspace}, last seen at ${seenAt.toISOString()}${isAlive ? '' : ', has ended'}`,
      ),
      ...waiting.map(
        ({ workspace, calls }) =>
          `${counted(calls, 'call')} of ${workspace} ${calls === 1 ? 'waits' : 'wait'} for a host`,
      ),
      `${counted(questions, 'question')} ${questions === 1 ? 'waits' : 'wait'} for an answer`,
    ];
    print(line + printable(`${lines.join('\n')}\n`));
  } finally {
    await records.close();
  }
}

function shown({ call, policy, effects, approval }: Audit): string {
  const { answer } = approval ?? {};
  const known = answer?.through === 'hub' ? 'known to the hub' : `role ${answer?.role}`;
  const by = answer?.by === undefined ? '' : ` by ${answer.by} (${known})`;
  return [
    `${call.id}  ${call.tool}  ${call.status}  workspace ${call.workspace}, submitted ${call.submittedAt.toISOString()}, begun ${call.attempts === 1 ? 'once' : `${call.attempts} times`}`,
    ...(policy.judged === undefined ? [] : [`judged by policy ${policy.judged.slice(0, 12)}`]),
    ...effects.map(effectLine),
    ...(approval
      ? [`${approval.id}  ${approval.digest.slice(0, 12)}  ${answer ? `${answer.decision}${by} at ${answer.at.toISOString()}` : 'waits for an answer'}`] // prettier-ignore
      : []),
    ...(policy.resumed === undefined ? [] : [`resumed with policy ${policy.resumed.slice(0, 12)}`]),
    '',
  ].join('\n');
}

function effectLine({ name, host, pid, startedAt, endedAt, outcome }: AuditedEffect): string {
  const took = endedAt ? `${endedAt.getTime() - startedAt.getTime()} ms` : 'has not ended';
  return `${startedAt.toISOString()}  ${oneLine(name, 80)}  host ${host} (${pid})  ${took}  ${endOf(outcome)}`;
}

/** How an effect ended, in a word or two. */
function endOf(outcome: unknown): string {
  const { status, exit, error } = (outcome ?? {}) as {
    readonly status?: string;
    readonly exit?: { readonly exitCode: number | null; readonly signal: string | null };
    readonly error?: { readonly message?: string; readonly type?: string };
  };
  if (status === 'exited') return `exit ${exit?.exitCode ?? exit?.signal}`;
  if (error) return oneLine(error.type ?? error.message ?? 'failed', 120);
  return status ?? (outcome === undefined ? '' : 'ran');
}
