import type { IncomingMessage, ServerResponse } from 'node:http';
import { isHookmachineError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { messageOf } from '../base/message-of.ts';
import { requestBody } from '../base/request-body.ts';
import { isLeaseLost } from '../durable/database/effects.ts';
import { exposition, type Metric } from '../durable/database/metrics.ts';
import type { Database } from '../durable/database/postgres.ts';
import { answerOperation, textOf } from './answer-operation.ts';
import type { Holders } from './holders.ts';
import type { HubSettings } from './hub-settings.ts';
import type { HubNews } from './hub-news.ts';
import { Intake } from './intake.ts';
import { Recordings, takesPayloads } from './recordings.ts';
import type { CallPlaces } from './machine-scope.ts';
import type { Members } from './members.ts';
import type { Holder } from './known.ts';
import { refused } from './refused.ts';
import { isWithin } from './workspaces.ts';

/** What a hub consists of. */
export interface HubParts {
  readonly database: Database;
  readonly members: Members;
  readonly holders: Holders;
  readonly places: CallPlaces;
  readonly settings: HubSettings;
  /** Keys of payloads, if people read them on its pages. */
  readonly key: string | undefined;
  readonly news: HubNews;
  readonly warn: (line: string) => void;
}

/** The longest request, in bytes: the results of tools are in them. */
const mostBytes = 64 * 1024 * 1024;

/** Answers a request of a machine, or of a person's command. */
export async function answerApi(
  parts: HubParts,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method !== 'POST') return send(response, 405, { error: { message: 'only POST is answered' } }); // prettier-ignore
    if (path === 'enrol') {
      const { code } = fieldsOf(await bodyOf(request, 10_000));
      return send(response, 200, { value: await parts.members.enrol(textIn(code, 'code')) });
    }
    const holder = await holderOf(parts, request);
    if (holder === undefined) {
      const message = 'The hub does not know this token: it was revoked, has expired, or is that of another hub.'; // prettier-ignore
      return send(response, 401, { error: { code: 'HUB_REFUSED', message } });
    }
    await answerHolder(parts, holder, path, request, response);
  } catch (error) {
    // Whoever has gone meanwhile is told nothing.
    if (response.closed || response.headersSent) response.destroy();
    else sendProblem(parts, response, error);
  }
}

/** Answers a collector of metrics that has the token of a person, with those of the workspaces that they see. */
export async function answerMetrics(
  parts: HubParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const holder = await holderOf(parts, request);
    if (holder?.kind !== 'person')
      return void response
        .writeHead(401)
        .end('give the token of a person who sees the workspaces\n');
    const found = await answerOperation(parts, holder, 'metrics', []);
    const text = exposition(found as readonly Metric[]);
    response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      .end(text);
  } catch (error) {
    if (response.closed || response.headersSent) response.destroy();
    else sendProblem(parts, response, error);
  }
}

/** Who sends a request, by its token. */
function holderOf({ holders }: HubParts, { headers: given }: IncomingMessage) {
  const { authorization = '', 'user-agent': agent = '' } = given;
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? '';
  const version = /^hookmachine\/(\S{1,40})$/.exec(agent)?.[1];
  return token === '' ? undefined : holders.of(token, version);
}

async function answerHolder(
  parts: HubParts,
  holder: Holder,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request, mostBytes);
  if (path === 'identity') {
    const { kind, name } = holder;
    const workspaces =
      holder.kind === 'machine'
        ? holder.workspaces
        : [...new Set(holder.grants.map(({ workspace }) => workspace))];
    return send(response, 200, { value: { kind, name, workspaces } });
  }
  if (path === 'renew') {
    if (holder.kind !== 'machine') throw refused('only the tokens of machines are renewed');
    return send(response, 200, { value: await parts.members.renew(holder.name) });
  }
  if (path === 'news') {
    const workspace = textIn(fieldsOf(body)['workspace'], 'workspace');
    if (holder.kind !== 'machine' || !isWithin(holder.workspaces, workspace))
      throw refused(`${holder.name} is told no news of the workspace ${workspace}`);
    const none = await parts.news.send(workspace, response);
    if (none) send(response, 200, { value: none });
    return;
  }
  if (isTaken(path)) {
    if (holder.kind !== 'machine') throw refused('only machines send their logs');
    return send(response, 200, { value: await takers[path](parts, holder, body) });
  }
  const [, operation] = /^operations\/(\w+)$/.exec(path) ?? [];
  if (operation === undefined) return send(response, 404, { error: { message: 'there is no such address' } }); // prettier-ignore
  const value = await answerOperation(parts, holder, operation, body);
  response.writeHead(200, headers).end(textOf(value));
}

/** What is done with what a machine sends about itself, by path. */
const takers = {
  report: (parts, { name }, body) => intakeOf(parts).report(name, body),
  intake: (parts, { name }, body) => intakeOf(parts).take(name, fieldsOf(body)),
  'intake/position': (parts, { name }, body) =>
    intakeOf(parts).position(name, fieldsOf(body)['source']),
  recordings: (parts, machine, body) => intakeOf(parts).takeRecording(machine, fieldsOf(body)),
  'recordings/payloads': ({ settings }, machine) =>
    Promise.resolve(takesPayloads(settings, machine)),
} satisfies Readonly<
  Record<string, (parts: HubParts, machine: MachineHolder, body: unknown) => Promise<unknown>>
>;

const isTaken = (path: string): path is keyof typeof takers => Object.hasOwn(takers, path);

type MachineHolder = Extract<Holder, { kind: 'machine' }>;

const intakeOf = ({ database, settings }: HubParts): Intake =>
  new Intake(database, new Recordings(database, settings));

async function bodyOf(request: IncomingMessage, most: number): Promise<unknown> {
  const text = await requestBody(request, most);
  if (text === undefined) throw refused(`a request may have at most ${most} bytes`);
  try {
    return JSON.parse(text.toString());
  } catch {
    throw refused('what was sent is not JSON');
  }
}

const fieldsOf = (body: unknown): Record<string, unknown> => (isRecord(body) ? body : {});

function textIn(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 1_000) return value;
  throw refused(`"${name}" is missing`);
}

function sendProblem({ warn }: HubParts, response: ServerResponse, error: unknown): void {
  const message = messageOf(error);
  if (isLeaseLost(error)) return send(response, 409, { error: { name: 'LeaseLost', message } });
  if (isHookmachineError(error)) {
    const { code } = error;
    const status = { HUB_REFUSED: 403, DATABASE_UNAVAILABLE: 503 }[code as string] ?? 422;
    return send(response, status, { error: { code, message } });
  }
  warn(`a request failed: ${message}`);
  send(response, 500, { error: { message: 'the hub failed; its own log says why' } });
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function send(response: ServerResponse, status: number, body: unknown): void {
  // The unread rest must not be taken for the next request.
  if (status >= 400) response.setHeader('connection', 'close');
  response.writeHead(status, headers).end(JSON.stringify(body));
}
