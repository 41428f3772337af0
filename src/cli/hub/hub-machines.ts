import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { stateOf } from '../../hub/machines-page.ts';
import type { Machine } from '../../hub/known.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { timeOf } from '../parts/durable-options.ts';
import { asOption } from '../parts/as-option.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { withMembers } from './with-members.ts';

interface InviteOptions {
  readonly workspace?: readonly string[];
  readonly owner?: string;
  readonly lasts?: string;
  readonly as?: string;
  readonly json?: true;
}

/** `hookmachine hub machines`: which machines reach the database through the hub. */
export function addMachines(hub: Command): void {
  const machines = hub
    .command('machines')
    .description('invite machines, list them, and revoke their tokens');
  machines
    .command('invite')
    .argument('<name>', 'what the machine is called, such as laptop-7')
    .description('make a code with which one machine joins the hub, once')
    .option(
      '--workspace <name...>',
      'the workspaces whose calls it makes; a * at the end stands for all that begin so (default: its own folders)',
    )
    .option('--owner <person>', 'whose machine it is: this person does not approve its calls')
    .option('--lasts <time>', 'how long the code can be used, such as 15m (default: 1h)')
    .option(...asOption)
    .option('--json', 'as one JSON object')
    .action((name: string, options: InviteOptions) => invite(name, options));
  machines
    .command('list')
    .description('list the machines, and when each was last seen')
    .option('--json', 'one JSON array')
    .action(({ json }: { readonly json?: true }) =>
      withMembers(async (members) => {
        const all = await members.machines();
        if (json) return print(`${printableJson(all, 2)}\n`);
        print(printable(all.map(line).join('') || 'no machine was invited\n'));
      }),
    );
  machines
    .command('revoke')
    .argument('<name>', 'such as laptop-7')
    .description('end the tokens of a machine: it reaches nothing any more')
    .option(...asOption)
    .action((name: string, { as: by = userInfo().username }: { readonly as?: string }) =>
      withMembers(async (members) => {
        if (!(await members.revoke(name, by)))
          throw new CommandFailure(`there is no machine ${name} that could be revoked: see hookmachine hub machines list`); // prettier-ignore
        print(printable(`${name} is revoked\n`));
      }),
    );
}

const invite = (name: string, options: InviteOptions): Promise<void> =>
  withMembers(async (members) => {
    const { workspace = [`${name}:*`], owner, lasts, as: by = userInfo().username } = options;
    const lasting = timeOf('--lasts', lasts);
    const made = await members.invite({ name, workspaces: workspace, owner, by, lasts: lasting });
    if (options.json) return print(`${printableJson({ name, ...made })}\n`);
    print(
      printable(
        `${made.code}\nuse it on ${name} until ${made.expiresAt.toISOString()}: hookmachine hub join ADDRESS --code CODE\n`,
      ),
    );
  });

/** One machine on one line. */
function line(machine: Machine): string {
  const { name, workspaces, owner, seenAt, version } = machine;
  const whose = owner === undefined ? '' : `, ${owner}'s`;
  const seen = seenAt === undefined ? 'never seen' : `last seen at ${seenAt.toISOString()} with ${version ?? 'an unknown release'}`; // prettier-ignore
  return `${name}  ${stateOf(machine)}${whose}  workspaces ${workspaces.join(', ')}  ${seen}\n`;
}
