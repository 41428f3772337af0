import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { messageOf } from '../../base/message-of.ts';
import { warn } from '../../base/log.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import type { HubOptions } from '../../hub/serve-hub.ts';
import { databaseUrl, keyVariable, reported } from '../parts/durable-options.ts';
import { untilInterrupted } from '../parts/inspect-option.ts';
import { print } from '../parts/print.ts';
import { printable } from '../parts/printable.ts';
import { addJoining } from './hub-access.ts';
import { addMachines } from './hub-machines.ts';
import { addPeople } from './hub-people.ts';
import { addReport } from './hub-report.ts';
import { addSend } from './hub-send.ts';

/** The variable with the secret of the hub at its provider of identities. */
const secretVariable = 'HOOKMACHINE_OIDC_SECRET';

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly tlsKey?: string;
  readonly tlsCert?: string;
  readonly url?: string;
  readonly oidcIssuer?: string;
  readonly oidcClient?: string;
  readonly settings?: string;
  readonly json?: true;
}

/** `hookmachine hub`: a server between machines and the database, and who is known to it. */
export function addHub(program: Command): void {
  const hub = program
    .command('hub')
    .description('serve approvals to machines and people that have no access to the database');
  hub
    .command('serve')
    .description('serve a hub for the database, until Ctrl-C')
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <n>', 'the port to listen on (default: 8443)')
    .option('--tls-key <file>', 'the key of its certificate, in PEM')
    .option('--tls-cert <file>', 'its certificate, in PEM; SIGHUP reads both again')
    .option('--url <address>', 'the address under which browsers know it, if a proxy is in front')
    .option('--oidc-issuer <address>', 'the provider of identities with which people sign in')
    .option('--oidc-client <id>', 'the id of this hub at the provider')
    .option('--settings <file>', 'who has to approve what, and where questions are told')
    .option('--json', 'report that it is ready, as one line of JSON')
    .addHelpText(
      'after',
      `
The secret of the hub at the provider of identities is in ${secretVariable}.

Examples:
  hookmachine hub serve --host 0.0.0.0 --tls-key hub.key --tls-cert hub.crt
  hookmachine hub serve --url https://hub.example --oidc-issuer https://id.example --oidc-client hooks`,
    )
    .action((options: ServeOptions) => reported(() => serve(options)));
  addMachines(hub);
  addPeople(hub);
  addJoining(hub);
  addSend(hub);
  addReport(hub);
}

async function serve(options: ServeOptions): Promise<void> {
  const [{ serveHub }, { readHubSettings }] = await Promise.all([
    import('../../hub/serve-hub.ts'),
    import('../../hub/hub-settings.ts'),
  ]);
  const settings = options.settings === undefined ? undefined : readHubSettings(options.settings);
  const hub = await serveHub({ ...hubOptions(options), settings });
  const renew = (): void => {
    try {
      const tls = tlsIn(options);
      if (tls) hub.renew(tls);
    } catch (error) {
      warn(undefined, messageOf(error));
    }
  };
  // Without a certificate, it ends with its terminal as every command does.
  const hasTls = options.tlsKey !== undefined;
  if (hasTls) process.on('SIGHUP', renew);
  print(
    options.json
      ? `${JSON.stringify({ event: 'ready', url: hub.url, pid: process.pid })}\n`
      : printable(`the hub is at ${hub.url}, until Ctrl-C\n`),
  );
  await untilInterrupted(undefined, hasTls ? ['SIGINT', 'SIGTERM'] : undefined);
  process.off('SIGHUP', renew);
  await hub.close();
}

function hubOptions(options: ServeOptions): HubOptions {
  const { host, port = '8443', url, oidcIssuer: issuer, oidcClient: clientId } = options;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new CommandFailure(`--port ${port}: make it a number from 0 to 65535`);
  if ((issuer === undefined) !== (clientId === undefined))
    throw new CommandFailure('give --oidc-issuer and --oidc-client together');
  const clientSecret = process.env[secretVariable];
  if (issuer !== undefined && !clientSecret)
    throw new CommandFailure(`${secretVariable} is not set: make it the secret of the hub at ${issuer}`); // prettier-ignore
  for (const address of [url, issuer])
    if (address !== undefined && !URL.canParse(address))
      throw new CommandFailure(`${address} is not an address: write it as https://hub.example`);
  const tls = tlsIn(options);
  const isOwn = host === undefined || ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (!isOwn && tls === undefined && url === undefined)
    throw new CommandFailure(
      `--host ${host}: tokens would cross the network unencrypted; give --tls-key and --tls-cert, or, if a proxy in front of it encrypts, its address with --url`,
    );
  return {
    database: databaseUrl(),
    host,
    port: Number(port),
    url,
    ...(tls && { tls }),
    ...(issuer !== undefined && {
      oidc: { issuer, clientId: clientId!, clientSecret: clientSecret! },
    }),
    key: process.env[keyVariable] || undefined,
    warn: (line) => warn(undefined, line),
  };
}

function tlsIn({ tlsKey, tlsCert }: ServeOptions): HubOptions['tls'] {
  if (tlsKey === undefined && tlsCert === undefined) return undefined;
  if (tlsKey === undefined || tlsCert === undefined)
    throw new CommandFailure('give --tls-key and --tls-cert together');
  return { key: read('--tls-key', tlsKey), cert: read('--tls-cert', tlsCert) };
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${option} ${file}: ${messageOf(error)}`, { cause: error });
  }
}
