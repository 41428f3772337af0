import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { counted } from '../../base/counted.ts';
import type { Hold } from '../../durable/retention.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { timeOf, withRecords } from '../parts/durable-options.ts';
import { asOption } from '../parts/as-option.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';

interface PruneOptions {
  readonly olderThan: string;
  readonly workspace?: string;
  readonly yes?: true;
  readonly json?: true;
}

interface HoldOptions {
  readonly workspace?: string;
  readonly session?: string;
  readonly call?: string;
  readonly note: string;
  readonly as?: string;
  readonly json?: true;
}

/** `hookmachine durable prune` and `hold`: what is deleted, and what is kept whatever its age. */
export function addRetention(durable: Command): void {
  durable
    .command('prune')
    .description('delete what was done for calls that ended long ago; their ids stay taken')
    .requiredOption('--older-than <time>', 'how long ago they ended, such as 90d')
    .option('--workspace <name>', 'only those of one workspace')
    .option('--yes', 'delete; without it, the calls are only counted')
    .option('--json', 'as one JSON object')
    .action(prune);
  const hold = durable
    .command('hold')
    .description('keep calls from being pruned, whatever their age, until the hold is lifted');
  hold
    .command('place')
    .description('hold all calls that match, also those that are made later')
    .option('--workspace <name>', 'those of a workspace')
    .option('--session <id>', 'those of a session')
    .option('--call <id>', 'one call')
    .requiredOption('--note <text>', 'why they must be kept')
    .option(...asOption)
    .option('--json', 'as one JSON object')
    .action(({ as: by = userInfo().username, json, ...options }: HoldOptions) =>
      withRecords(async ({ retention }) => {
        const placed = await retention.hold({ ...options, by });
        print(json ? `${printableJson(placed, 2)}\n` : printable(line(placed)));
      }),
    );
  hold
    .command('list')
    .description('list the holds, the lifted ones too')
    .option('--json', 'one JSON array')
    .action(({ json }: { readonly json?: true }) =>
      withRecords(async ({ retention }) => {
        const holds = await retention.holds();
        if (json) return print(`${printableJson(holds, 2)}\n`);
        print(printable(holds.map(line).join('') || 'nothing is held\n'));
      }),
    );
  hold
    .command('lift')
    .argument('<id>', 'such as hold-3')
    .description('lift a hold: what it kept can be pruned from then on')
    .option(...asOption)
    .action((id: string, { as: by = userInfo().username }: Pick<HoldOptions, 'as'>) =>
      withRecords(async ({ retention }) => {
        if (!(await retention.lift(id, by)))
          throw new CommandFailure(`${id} is not in force: see hookmachine durable hold list`);
        print(printable(`${id} is lifted\n`));
      }),
    );
}

const prune = ({ olderThan, workspace, yes, json }: PruneOptions): Promise<void> =>
  withRecords(async ({ retention }) => {
    const age = timeOf('--older-than', olderThan)!;
    const calls = await retention.prune({ olderThan: age, workspace, dryRun: yes !== true });
    if (json) return print(`${printableJson({ calls, pruned: yes === true })}\n`);
    print(
      yes
        ? `${counted(calls, 'call')} pruned\n`
        : `${counted(calls, 'call')} would be pruned; add --yes to do so\n`,
    );
  });

/** One hold on one line. */
function line({ id, workspace, session, call, note, by, role, at, lifted }: Hold): string {
  const what = [
    ...(workspace === undefined ? [] : [`workspace ${workspace}`]),
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(call === undefined ? [] : [`call ${call}`]),
  ].join(', ');
  const end = lifted
    ? `, lifted by ${lifted.by} (role ${lifted.role}) at ${lifted.at.toISOString()}`
    : '';
  return `${id}  ${what}: ${note}  placed by ${by} (role ${role}) at ${at.toISOString()}${end}\n`;
}
