import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { type Person, type Role, roles } from '../../hub/known.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { timeOf } from '../parts/durable-options.ts';
import { type AsOption, asOption } from '../parts/as-option.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { withMembers } from './with-members.ts';

/** `hookmachine hub people`: who may see and answer questions. */
export function addPeople(hub: Command): void {
  const people = hub.command('people').description('say who may see and answer which questions');
  people
    .command('add')
    .argument('<name>', 'what the person is called in answers, such as ann')
    .description('add a person, who may do nothing before something is granted')
    .option('--email <address>', 'by which the provider of identities knows this person')
    .option(...asOption)
    .action(
      (name: string, { email, as: by = userInfo().username }: AsOption & { email?: string }) =>
        withMembers(async (members) => {
          await members.addPerson({ name, email, by });
          print(printable(`${name} is known; now grant something: hookmachine hub people grant ${name} answers WORKSPACE\n`)); // prettier-ignore
        }),
    );
  people
    .command('remove')
    .argument('<name>', 'such as ann')
    .description('end what a person may do, and all their tokens')
    .option(...asOption)
    .action((name: string, { as: by = userInfo().username }: AsOption) =>
      withMembers(async (members) => {
        if (!(await members.removePerson(name, by)))
          throw new CommandFailure(
            `the hub does not know ${name}: see hookmachine hub people list`,
          );
        print(printable(`${name} is removed\n`));
      }),
    );
  people
    .command('list')
    .description('list the people and what they may do')
    .option('--json', 'one JSON array')
    .action(({ json }: { readonly json?: true }) =>
      withMembers(async (members) => {
        const all = await members.people();
        if (json) return print(`${printableJson(all, 2)}\n`);
        print(printable(all.map(line).join('') || 'the hub knows nobody\n'));
      }),
    );
  addGrants(people);
  people
    .command('token')
    .argument('<name>', 'such as ann')
    .description('make a token with which a person signs in on the command line or the page')
    .option('--lasts <time>', 'how long it can be used, such as 30d (default: 90d)')
    .option('--json', 'as one JSON object')
    .action((name: string, { lasts, json }: { readonly lasts?: string; readonly json?: true }) =>
      withMembers(async (members) => {
        const made = await members.personToken(name, { lasts: timeOf('--lasts', lasts) });
        print(json ? `${printableJson({ name, ...made })}\n` : printable(`${made.token}\n`));
      }),
    );
}

interface GrantOptions extends AsOption {
  readonly lasts?: string;
}

function addGrants(people: Command): void {
  const role = ['<role>', roles.join(', ')] as const;
  const workspace = ['<workspace>', 'such as shop; a * at the end stands for all that begin so'] as const; // prettier-ignore
  people
    .command('grant')
    .argument('<name>', 'such as ann')
    .argument(...role)
    .argument(...workspace)
    .description('let a person see, answer or administer the questions of a workspace')
    .option(
      '--lasts <time>',
      'how long, such as 7d, as for somebody who is away (default: until it is taken back)',
    )
    .option(...asOption)
    .action(
      (
        name: string,
        given: string,
        place: string,
        { as: by = userInfo().username, lasts }: GrantOptions,
      ) =>
        withMembers(async (members) => {
          const lasting = timeOf('--lasts', lasts);
          await members.grant({
            person: name,
            role: roleOf(given),
            workspace: place,
            by,
            lasts: lasting,
          });
          print(printable(`${name} ${given} in ${place}\n`));
        }),
    );
  people
    .command('take-back')
    .argument('<name>', 'such as ann')
    .argument(...role)
    .argument(...workspace)
    .description('take back what was granted')
    .action((name: string, given: string, place: string) =>
      withMembers(async (members) => {
        const isTaken = await members.takeBack({ person: name, role: roleOf(given), workspace: place }); // prettier-ignore
        if (!isTaken) throw new CommandFailure(`nothing of the kind was granted to ${name}: see hookmachine hub people list`); // prettier-ignore
        print(printable(`${name} no longer ${given} in ${place}\n`));
      }),
    );
}

/** @throws {CommandFailure} if it is not a role */
function roleOf(given: string): Role {
  const role = roles.find((one) => one === given);
  if (role !== undefined) return role;
  throw new CommandFailure(`"${given}" is not a role: use one of ${roles.join(', ')}`);
}

/** One person on one line. */
function line({ name, email, grants, removedAt }: Person): string {
  const who = email === undefined ? name : `${name} <${email}>`;
  if (removedAt) return `${who}  removed at ${removedAt.toISOString()}\n`;
  const may = grants.map(
    ({ role, workspace, expiresAt }) =>
      `${role} in ${workspace}${expiresAt ? ` until ${expiresAt}` : ''}`,
  );
  return `${who}  ${may.join(', ') || 'may do nothing'}\n`;
}
