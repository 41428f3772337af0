import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { HookmachineError } from '../base/errors.ts';
import { messageOf } from '../base/message-of.ts';
import { sealCalls } from '../durable/chain.ts';
import { isUnreachable, openDatabase } from '../durable/database/postgres.ts';
import { assertMigrated } from '../durable/database/schema.ts';
import { answerApi, answerMetrics, type HubParts } from './api.ts';
import { Holders } from './holders.ts';
import { type HubSettings, noSettings } from './hub-settings.ts';
import { HubNews } from './hub-news.ts';
import { CallPlaces } from './machine-scope.ts';
import { Members } from './members.ts';
import { HubNotices } from './notices.ts';
import { Recordings } from './recordings.ts';
import { type OidcOptions, SignIn } from './sign-in.ts';
import { Site } from './site.ts';

/** How a hub is served. */
export interface HubOptions {
  /** The URL of its database. */
  readonly database: string;
  /** Default: this machine's loopback address. */
  readonly host?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Its key and certificate, in PEM; without them, a proxy in front of it encrypts. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The address under which browsers and machines know it; default: the one it listens on. */
  readonly url?: string | undefined;
  /** How people sign in; without it, they use tokens. */
  readonly oidc?: OidcOptions | undefined;
  /** Who has to approve what, and where questions are told. */
  readonly settings?: HubSettings | undefined;
  /** Keys of payloads, as the `key` of `DurableOptions`, if people read them on its pages. */
  readonly key?: string | undefined;
  readonly warn: (line: string) => void;
}

/** How often calls that have ended are added to the chain, in ms. */
const sealEvery = 10_000;

/** How often old recordings are deleted, in ms. */
const pruneEvery = 60_000;

/** A hub that is being served. */
export interface Hub {
  readonly url: string;
  /** Reads its key and certificate again, once they were renewed. */
  renew(tls: { readonly key: string; readonly cert: string }): void;
  close(): Promise<void>;
}

/**
 * Serves a hub.
 *
 * @throws {HookmachineError} `DATABASE_UNAVAILABLE`, `DATABASE_SCHEMA`, `PORT_UNAVAILABLE`, `ARGUMENT_INVALID`
 */
export async function serveHub(options: HubOptions): Promise<Hub> {
  const database = await openDatabase(options.database, 'hookmachine hub');
  try {
    await assertMigrated(database);
    const members = new Members(database);
    const parts: HubParts = {
      database,
      members,
      holders: new Holders(members),
      places: new CallPlaces(database),
      news: new HubNews(database),
      settings: options.settings ?? noSettings,
      key: options.key,
      warn: options.warn,
    };
    return await serve(options, parts);
  } catch (error) {
    await database.end();
    throw error;
  }
}

async function serve(options: HubOptions, parts: HubParts): Promise<Hub> {
  const { tls, oidc } = options;
  let site: Site | undefined;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    const asked = request.url ?? '';
    const url = URL.canParse(asked, 'http://hub') ? new URL(asked, 'http://hub') : undefined;
    if (url === undefined || site === undefined) return void response.writeHead(400).end();
    const { pathname } = url;
    if (pathname === '/livez') return void response.end('alive\n');
    if (pathname === '/readyz') return void ready(parts, response);
    if (pathname === '/metrics') return void answerMetrics(parts, request, response);
    if (pathname.startsWith('/v1/'))
      return void answerApi(parts, pathname.slice(4), request, response);
    void site.answer(url, request, response);
  };
  const limits = { maxHeaderSize: 16_384 };
  const server: Server = tls
    ? createSecureServer({ ...limits, ...tls }, answer)
    : createServer(limits, answer);
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  const own = `${tls ? 'https' : 'http'}://${shown(options.host)}:${port}`;
  const url = new URL(options.url ?? own);
  const redirect = new URL('/sign-in/callback', url).href;
  try {
    site = new Site(parts, url, oidc && (await SignIn.with(oidc, redirect)));
  } catch (error) {
    server.close();
    throw error;
  }
  const notices = new HubNotices(parts.database, parts.settings.notify, {
    url: url.origin,
    key: parts.key,
    warn: parts.warn,
  });
  const chores = [
    regularly(parts, sealEvery, 'calls that ended could not be added to the chain', sealCalls),
    regularly(parts, pruneEvery, 'old recordings could not be deleted', (database) =>
      new Recordings(database, parts.settings).prune(),
    ),
  ];
  return {
    url: url.origin,
    renew: (renewed) => (server as ReturnType<typeof createSecureServer>).setSecureContext(renewed),
    async close() {
      const closed = once(server, 'close');
      server.close();
      await parts.news.close();
      await notices.close();
      for (const chore of chores) clearInterval(chore);
      server.closeIdleConnections();
      // What is being answered may take a moment.
      const timer = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(timer);
      await parts.database.end();
    },
  };
}

/** Does something from time to time, whether or not the database can be reached. */
const regularly = (
  { database, warn }: HubParts,
  every: number,
  failed: string,
  work: (database: HubParts['database']) => Promise<unknown>,
): NodeJS.Timeout =>
  setInterval(() => {
    void work(database).catch((error: unknown) => {
      if (!isUnreachable(error)) warn(`${failed}: ${messageOf(error)}`);
    });
  }, every);

/** Says whether the hub reaches its database. */
async function ready({ database }: HubParts, response: ServerResponse): Promise<void> {
  try {
    await database.query('select 1');
    response.end('ready\n');
  } catch {
    response.writeHead(503).end('the database is out of reach\n');
  }
}

async function listening(server: Server, { host = '127.0.0.1', port = 0 }: HubOptions) {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new HookmachineError('PORT_UNAVAILABLE', `The hub cannot listen on ${host}:${port}: ${messageOf(cause)}`, { cause }); // prettier-ignore
  });
}

/** A host as it stands in an address. */
const shown = (host = '127.0.0.1'): string =>
  host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
