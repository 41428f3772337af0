import { type Command, Option } from 'commander';
import type { Installation, OverHttp, Scope } from '../../core/dialects/installation.ts';
import { tokenVariable, keptServePort } from '../../hosts/parts/relay-entry.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { isHookmachineError } from '../../base/errors.ts';
import {
  changesFile,
  changesFor,
  type FileChange,
  type InstallOrder,
} from '../../hosts/install/change.ts';
import { ownCommand, relayCall } from '../../hosts/install/relay-call.ts';
import { requestOf } from '../../hosts/install/serve-request.ts';
import { keptPort, keptToken, tokenFile } from '../serve/kept-address.ts';
import { installGateway } from './install-gateway.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { hostNamed } from '../parts/host-named.ts';
import { printableJson } from '../parts/printable.ts';
import { diffOf, say, siteOf } from '../parts/shown-change.ts';

interface Options {
  readonly cwd: string;
  readonly scope: Scope;
  readonly dryRun?: true;
  readonly json?: true;
  readonly command?: string;
  readonly via?: 'command' | 'http';
  readonly acceptFailOpen?: true;
  readonly defer?: true;
  readonly gateway?: true;
}

type What = 'install' | 'uninstall';

const names = hosts.map(({ name }) => name).join(', ');

/**
 * `hookmachine install` and `hookmachine uninstall`: write or remove the entries in a host's own file that
 * call the relay.
 */
export function addInstall(program: Command): void {
  const add = (what: What, description: string): Command =>
    program
      .command(what)
      .argument('<host>', `the agent: ${names}`)
      .description(description)
      .addOption(
        new Option('--scope <scope>', 'for this project, or for all that you work on')
          .choices(['project', 'user'])
          .default('project'),
      )
      .option('--dry-run', 'show what would change, and write nothing')
      .option(
        '--json',
        'print JSON: agent, scope, files with their patches, written, outcome, notes, todos',
      )
      .option(
        '--gateway',
        'have the agent ask its model through "hookmachine gateway", in all of the user\'s projects',
      )
      .option('--cwd <dir>', 'the project folder', process.cwd())
      .option(
        '--command <command>',
        'how hookmachine is started there (default: by its name if it is in PATH, or else by its path)',
      )
      .action((host: string, options: Options) => carryOut(what, host, options));
  add('install', 'write the entries that have the agent call the relay into its own file')
    .addOption(
      new Option(
        '--via <way>',
        'have the agent start a command for each event, or post it to "hookmachine serve"',
      )
        .choices(['command', 'http'])
        .default('command'),
    )
    .option(
      '--accept-fail-open',
      'with --via http: the agent may run tools unguarded when "hookmachine serve" cannot be reached',
    )
    .option(
      '--defer',
      'keep what hooks ask about in the database of durable calls, if nobody is there to answer and the agent can be resumed',
    )
    .addHelpText(
      'after',
      `
The change is shown. Comments, order and everything else in the file stay as they are, and entries that
are there already are left alone.

Example:
  hookmachine install claude-code --scope user --dry-run`,
    );
  add('uninstall', "remove the entries that call the relay from the agent's own file");
}

async function carryOut(what: What, name: string, options: Options): Promise<void> {
  const host = hostNamed(name);
  const { scope, defer } = options;
  const site = siteOf(options);
  const [installation, { title, defers }] = await Promise.all([host.install(), host.speak()]);
  if (options.gateway) return installGateway(what, installation, title, options);
  if (defer && !defers)
    throw new CommandFailure(`${title} cannot defer a call: install it without --defer`);
  demandFitting(options);
  const own =
    options.command === undefined
      ? ownCommand(site, scope, installation.runsInProject === true, process.argv[1] ?? '')
      : { command: options.command };
  if (own === undefined)
    throw new CommandFailure(
      'npx does not keep what it fetches, so hooks could not call it: install hookmachine first (npm install --global hookmachine)',
    );
  const over = options.via === 'http' ? overHttpOf(installation, title, options) : undefined;
  const port = over ? await portToServe() : keptServePort();
  const request = (over || what === 'uninstall') && port ? requestOf(name, port) : undefined;
  try {
    const call = relayCall(own, name, defer);
    const changes = changesFor(what, { installation, title, scope, site, call, request });
    const isChanged = changes.some(changesFile);
    const files = changes.filter(changesFile);
    if (!options.dryRun) for (const change of files) change.carryOut();
    const isInstalled = what === 'install' && !keepsOthers(changes, isChanged);
    const twice = isInstalled
      ? elsewhere(name, { installation, title, scope, site, call, request })
      : undefined;
    const notes = [
      ...(own.note === undefined ? [] : [own.note]),
      ...(installation.notes?.(scope) ?? []),
      ...(twice === undefined ? [] : [twice]),
    ];
    const todos = [...installation.after(scope), ...(over ? servedBy(over, title, options) : [])];
    tell(
      {
        agent: name,
        scope,
        files: files.map((change) => ({ file: change.file, patch: diffOf(change) })),
        written: isChanged && !options.dryRun,
        outcome: outcomeOf(what, title, changes, isChanged, options),
        notes: [...changes.flatMap((change) => change.notes), ...(isInstalled ? notes : [])],
        todos: isInstalled ? todos : [],
      },
      options,
    );
  } catch (error) {
    if (isHookmachineError(error, 'SETTINGS_NOT_EDITABLE'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

/** @throws {CommandFailure} if some of the options exclude each other */
function demandFitting({ defer, via, acceptFailOpen }: Options): void {
  if (defer && via === 'http')
    throw new CommandFailure(
      '"hookmachine serve" does not defer calls: install it without --via http, or without --defer',
    );
  if (acceptFailOpen && via !== 'http')
    throw new CommandFailure(
      '--accept-fail-open only applies to --via http: add that, or leave this out',
    );
}

interface Told {
  readonly agent: string;
  readonly scope: Scope;
  readonly files: readonly { readonly file: string; readonly patch: string }[];
  readonly written: boolean;
  readonly outcome: string;
  readonly notes: readonly string[];
  readonly todos: readonly string[];
}

function tell(told: Told, { json }: Pick<Options, 'json'>): void {
  if (json) return void process.stdout.write(`${printableJson(told, 2)}\n`);
  for (const { patch } of told.files) say(patch);
  say(told.outcome);
  for (const note of told.notes) say(`Note: ${note}.`);
  for (const todo of told.todos) say(`To do: ${todo}.`);
}

/** The note for entries that are in the other scope's file too. */
function elsewhere(host: string, { scope, ...order }: InstallOrder): string | undefined {
  const other = scope === 'user' ? 'project' : 'user';
  const own = changesFor('install', { ...order, scope }).map(({ file }) => file);
  let found: FileChange | undefined;
  try {
    found = changesFor('uninstall', { ...order, scope: other }).find(changesFile);
  } catch {
    // A file that cannot be read is reported when someone installs there.
  }
  return found === undefined || own.includes(found.file)
    ? undefined
    : `the entries are in ${found.file} too, so hooks may run twice: hookmachine uninstall ${host} --scope ${other} removes them there`;
}

/** How the host's hooks post, if the user accepts the consequences. */
function overHttpOf(
  installation: Installation,
  title: string,
  { acceptFailOpen }: Options,
): OverHttp {
  const over = installation.kind === 'entries' ? installation.overHttp : undefined;
  if (over === undefined)
    throw new CommandFailure(`${title} has no HTTP hooks: install it without --via http`);
  if (over.failsOpen && !acceptFailOpen)
    throw new CommandFailure(
      `${title} runs tools unguarded ${over.failsOpen}, and no entry can change that: install it without --via http, or accept it with --accept-fail-open`,
    );
  return over;
}

/** Returns the port that `serve` will use, and makes sure that its token exists. */
function portToServe(): Promise<number> {
  keptToken();
  return keptPort();
}

/** What the user must do, and should know, if hooks post to `serve`. */
const servedBy = (
  { failsOpen, after = [] }: OverHttp,
  title: string,
  { scope }: Options,
): readonly string[] => [
  `keep "hookmachine serve" running; ${title} ${failsOpen ? `runs tools unguarded ${failsOpen}` : 'denies tools and prompts when it does not answer'}`,
  `start ${title} with the token in its environment: export ${tokenVariable}="$(cat '${tokenFile()}')"`,
  ...after,
  ...(scope === 'project'
    ? ['others who work in this project need "hookmachine serve" on the port that the entries name']
    : []),
];

/** Whether entries that call in another way were left as they are, so that nothing was installed. */
const keepsOthers = (changes: readonly FileChange[], isChanged: boolean): boolean =>
  !isChanged && changes.some(({ differs }) => differs);

function outcomeOf(
  what: What,
  title: string,
  changes: readonly FileChange[],
  isChanged: boolean,
  { dryRun, via }: Options,
): string {
  const [calls, call] =
    via === 'http'
      ? ['posts to hookmachine serve', 'post to hookmachine serve']
      : ['calls the relay', 'call the relay'];
  const files = changes.map(({ file }) => file).join(', ');
  const isIgnored = changes.some((change) => change.isIgnored);
  if (keepsOthers(changes, isChanged))
    return `Nothing was changed, because ${files} has entries of ours that differ: uninstall them first`;
  if (!isChanged)
    return isIgnored
      ? `The entries are there already, but ${title} does not read them in the file's present form: ${files}`
      : what === 'install'
        ? `${title} ${calls} already: ${files}`
        : `${title} does not ${call}: ${files}`;
  if (dryRun) return 'Nothing was written (--dry-run).';
  if (isIgnored)
    return `The entries were written, but ${title} does not read them in the file's present form: ${files}`;
  return what === 'install'
    ? `${title} ${calls} from now on: ${files}`
    : `${title} no longer ${calls}: ${files}`;
}
