import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { isRecord } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import { type Bearer, forgetAccess, hubAccess, keepAccess } from '../../durable/hub-access.ts';
import { type HubAccess, HubLink, hubStore } from '../../durable/hub-store.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { reported } from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { readStdin } from '../parts/read-stdin.ts';

interface JoinOptions {
  readonly code: string;
  readonly ca?: string;
}

const ca = ['--ca <file>', 'the certificate of the authority to trust, in PEM'] as const;

/** `hookmachine hub join`, `login` and the like: how this machine, or a person on it, reaches a hub. */
export function addJoining(hub: Command): void {
  hub
    .command('join')
    .argument('<address>', 'such as https://hub.example')
    .description('have durable calls of this user on this machine kept by a hub')
    .requiredOption('--code <code>', 'the invitation: - reads it from stdin')
    .option(...ca)
    .action((address: string, options: JoinOptions) => reported(() => join(address, options)));
  hub
    .command('renew')
    .description('get another token for this machine; the one that it has ends within minutes')
    .action(() => reported(renew));
  hub
    .command('leave')
    .description('forget the hub that this machine has joined')
    .action(() => reported(async () => forget('machine')));
  hub
    .command('login')
    .argument('<address>', 'such as https://hub.example')
    .description(
      'answer questions of a hub from here, with a token that is read from stdin; not on a machine whose agents it guards',
    ) // prettier-ignore
    .option(...ca)
    .action((address: string, options: Pick<JoinOptions, 'ca'>) =>
      reported(() => login(address, options)),
    );
  hub
    .command('logout')
    .description("forget a person's token")
    .action(() => reported(async () => forget('person')));
  hub
    .command('whoami')
    .description('say as whom this machine, or a person on it, is known to its hub')
    .option('--json', 'as one JSON object')
    .action(({ json }: { readonly json?: true }) => reported(() => whoami(json === true)));
}

async function join(address: string, { code, ca: file }: JoinOptions): Promise<void> {
  const access = { url: address, ...pemIn(file) };
  const link = new HubLink({ ...access, token: '' });
  try {
    const given = code === '-' ? (await readStdin()).trim() : code;
    const made = await link.ask('enrol', { code: given });
    if (!isRecord(made) || typeof made['name'] !== 'string' || typeof made['token'] !== 'string')
      throw new CommandFailure(`${address} does not answer as a hub does`);
    const { name, token, workspaces } = made;
    const kept = keepAccess('machine', { ...access, name, token });
    print(
      printable(
        `this machine is ${name}, with calls of ${String(workspaces)}; its token is in ${kept}\n`,
      ),
    );
  } finally {
    await link.close();
  }
}

async function renew(): Promise<void> {
  const access = hubAccess('machine');
  if (access?.name === undefined)
    throw new CommandFailure('this machine has not joined a hub: hookmachine hub join');
  const { name, ...more } = access;
  const link = new HubLink(access);
  try {
    const made = await link.ask('renew', {});
    if (!isRecord(made) || typeof made['token'] !== 'string')
      throw new CommandFailure(`${access.url} does not answer as a hub does`);
    const kept = keepAccess('machine', { ...more, name, token: made['token'] });
    print(printable(`${name} has another token, in ${kept}\n`));
  } finally {
    await link.close();
  }
}

async function login(address: string, { ca: file }: Pick<JoinOptions, 'ca'>): Promise<void> {
  const token = (await readStdin()).trim();
  if (token === '') throw new CommandFailure('the token is missing: give it on stdin');
  const access = { url: address, token, ...pemIn(file) };
  const { kind, name, workspaces } = await identityOf(access);
  if (kind !== 'person')
    throw new CommandFailure(`this is the token of ${name}, a machine: use that of a person`);
  const kept = keepAccess('person', { ...access, name });
  print(printable(`you are ${name}, with questions of ${workspaces.join(', ') || 'no workspace'}; the token is in ${kept}\n`)); // prettier-ignore
}

async function whoami(isJson: boolean): Promise<void> {
  const found: Record<string, unknown> = {};
  for (const bearer of ['machine', 'person'] as const) {
    const access = hubAccess(bearer);
    if (access === undefined) continue;
    const { name, workspaces } = await identityOf(access);
    found[bearer] = { hub: access.url, name, workspaces };
    if (!isJson)
      print(printable(`${bearer} ${name} at ${access.url}: ${workspaces.join(', ') || 'no workspace'}\n`)); // prettier-ignore
  }
  if (isJson) print(`${printableJson(found, 2)}\n`);
  else if (Object.keys(found).length === 0) print('no hub is known here\n');
}

async function identityOf(access: HubAccess) {
  const store = hubStore(access);
  try {
    return await store.identity();
  } finally {
    await store.close();
  }
}

function forget(bearer: Bearer): void {
  forgetAccess(bearer);
  print(`the token of this ${bearer} is forgotten; its hub still knows it\n`);
}

function pemIn(file: string | undefined): { readonly ca?: string } {
  if (file === undefined) return {};
  try {
    return { ca: readFileSync(file, 'utf8') };
  } catch (error) {
    throw new CommandFailure(`--ca ${file}: ${messageOf(error)}`, { cause: error });
  }
}
