import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolInput } from '../../machines/tool-call.ts';
import { HookmachineError, isHookmachineError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { parseJson } from '../settings/files/parse-json.ts';
import { messageOf } from '../base/message-of.ts';
import { requestBody } from '../base/request-body.ts';
import { Approvals } from '../durable/approvals.ts';
import { Feed } from '../watch/inspector/feed.ts';
import { servedReport } from '../watch/inspector/report-page.ts';
import { type CallStore, databaseStore } from '../durable/database/store.ts';
import { withKeys } from '../durable/encrypted-store.ts';
import type { HubParts } from './api.ts';
import { neededApprovals } from './hub-settings.ts';
import { fleetReport } from './fleet.ts';
import type { Machine } from './known.ts';
import { machinesPage } from './machines-page.ts';
import { approvalPage, listPage, plainPage, signInPage, style } from './pages.ts';
import { answerAs, votesFor } from './answer-as.ts';
import { changePeople, peopleFor } from './people-forms.ts';
import { peoplePage } from './people-page.ts';
import { seenApproval } from './person-rules.ts';
import { PersonScope } from './person-scope.ts';
import { Recordings } from './recordings.ts';
import { refused } from './refused.ts';
import { sessionsPage } from './sessions-page.ts';
import type { SigningIn, SignIn } from './sign-in.ts';

/** How long a person stays signed in, in ms. */
const sessionLasts = 12 * 60 * 60 * 1_000;

/** How many days of audit logs the page of machines sums up. */
const fleetDays = 7;

/** How many questions a page lists. */
const perPage = 100;

/** How much of a session its page holds: the newest part. */
const mostShown = { entries: 200_000, bytes: 24 * 1024 * 1024 };

/** The longest form, in bytes. */
const mostBytes = 64 * 1024;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // An address has the number of a question at most, but nobody else needs it.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The pages of a hub, for people. */
export class Site {
  readonly #parts: HubParts;
  readonly #signIn: SignIn | undefined;
  readonly #origin: string;
  readonly #cookie: string;

  /** `url` is the address under which browsers know it. */
  constructor(parts: HubParts, url: URL, signIn: SignIn | undefined) {
    this.#parts = parts;
    this.#signIn = signIn;
    this.#origin = url.origin;
    // Browsers keep others from setting a cookie of such a name.
    this.#cookie = url.protocol === 'https:' ? '__Host-hookmachine' : 'hookmachine';
  }

  async answer(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    try {
      await this.#route(url, request, response);
    } catch (error) {
      // Whoever has gone meanwhile is told nothing.
      if (response.closed || response.headersSent) return void response.destroy();
      const [status, said] = problemOf(error);
      if (status === 500) this.#parts.warn(`a page failed: ${messageOf(error)}`);
      response.writeHead(status).end(plainPage('That did not work', undefined, said));
    }
  }

  async #route(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = url;
    if (pathname === '/style.css')
      return void response.writeHead(200, { 'content-type': 'text/css; charset=utf-8' }).end(style);
    const isPost = request.method === 'POST';
    if (!isPost && request.method !== 'GET')
      return void response.writeHead(405, { allow: 'GET, POST' }).end();
    // A form of another site, or of none, is not this person's own wish.
    if (isPost && request.headers.origin !== this.#origin)
      return void response.writeHead(403).end(plainPage('That did not work', undefined, 'Another site sent this form.')); // prettier-ignore
    if (pathname === '/sign-in/provider') return this.#toProvider(url, response);
    if (pathname === '/sign-in/callback') return this.#fromProvider(url, request, response);
    if (pathname === '/sign-in' && isPost) return this.#byToken(request, response);
    const token = cookieIn(request, this.#cookie);
    const holder = token === undefined ? undefined : await this.#parts.holders.of(token);
    if (holder?.kind !== 'person')
      return void response.writeHead(isPost ? 403 : 200).end(signInPage(this.#signIn !== undefined, isPost ? '/' : pathname)); // prettier-ignore
    const person = new PersonScope(holder);
    const [, question] = /^\/approvals\/(ap-\d{1,18})$/.exec(pathname) ?? [];
    if (question !== undefined)
      return isPost
        ? this.#answered(person, question, request, response)
        : void response.end(await this.#shown(person, question));
    if (pathname === '/sign-out' && isPost) return this.#signOut(token!, response);
    const [, machine] = /^\/machines\/([\w.@-]{1,100})\/revoke$/.exec(pathname) ?? [];
    if (machine !== undefined && isPost) return this.#revoke(person, machine, response);
    if (pathname === '/machines' && !isPost)
      return void response.end(machinesPage(person, await this.#fleet(person)));
    if (pathname === '/people' && person.isAdministrator)
      return this.#people(person, isPost ? await formOf(request) : undefined, response);
    const [, session] = /^\/sessions\/(\d{1,18})$/.exec(pathname) ?? [];
    if (session !== undefined && !isPost) return this.#session(person, session, response);
    if (pathname === '/sessions' && !isPost) return this.#sessions(person, url, response);
    if (pathname === '/' && !isPost) return this.#list(person, url, response);
    response.writeHead(404).end(plainPage('Not found', person, 'There is no such page.'));
  }

  async #revoke(person: PersonScope, name: string, response: ServerResponse): Promise<void> {
    const machines = await this.#parts.members.machines();
    const found = machines.find((machine) => machine.name === name);
    if (found === undefined || !person.administers(found))
      throw refused(`${person.name} does not administer a machine ${name}`);
    await this.#parts.members.revoke(name, person.name);
    response.writeHead(303, { location: '/machines' }).end();
  }

  /** Who may do what, after a change if a form asks for one. */
  async #people(
    person: PersonScope,
    form: URLSearchParams | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const { members } = this.#parts;
    let problem: string | undefined;
    if (form !== undefined)
      try {
        await changePeople(members, person, form);
        return void response.writeHead(303, { location: '/people' }).end();
      } catch (error) {
        if (!isHookmachineError(error) || error.code === 'DATABASE_UNAVAILABLE') throw error;
        problem = error.message;
      }
    response
      .writeHead(problem === undefined ? 200 : 409)
      .end(peoplePage(person, await peopleFor(members, person), problem));
  }

  /** The machines that share a workspace with a person. */
  async #machinesOf(person: PersonScope): Promise<readonly Machine[]> {
    const machines = await this.#parts.members.machines();
    return machines.filter((one) => isShared(one, person));
  }

  async #sessions(
    person: PersonScope,
    { searchParams }: URL,
    response: ServerResponse,
  ): Promise<void> {
    const { database, settings } = this.#parts;
    const before = new Date(searchParams.get('before') ?? '');
    const isDenied = searchParams.has('denied');
    const listed = await new Recordings(database, settings).list({
      machines: (await this.#machinesOf(person)).map(({ name }) => name),
      limit: perPage + 1,
      before: Number.isNaN(before.getTime()) ? undefined : before.toISOString(),
      denied: isDenied,
    });
    const found = listed.slice(0, perPage);
    const next = listed.length > found.length ? found.at(-1)?.last_at : undefined;
    response.end(sessionsPage(person, found, { isDenied, next }));
  }

  /** The inspector's page of a session. */
  async #session(person: PersonScope, id: string, response: ServerResponse): Promise<void> {
    const { database, settings } = this.#parts;
    const recordings = new Recordings(database, settings);
    const session = await recordings.find(id);
    const machines = await this.#machinesOf(person);
    const machine = machines.find(({ name }) => name === session?.machine);
    if (session === undefined || machine === undefined)
      return void response
        .writeHead(404)
        .end(plainPage('Not found', person, 'There is no such session in your workspaces.'));
    const { payloads } = session;
    // Which workspace a session belongs to is not known: arguments of others may be in it.
    if (payloads && !person.answersAll(machine))
      throw refused(
        'this session holds arguments and results: those who may answer in all workspaces of its machine see it',
      );
    const title = `${session.session} on ${machine.name}`;
    const feed = new Feed({ source: 'recording', title, payloads }, mostShown);
    for await (const entry of recordings.entries(id)) feed.write(entry);
    feed.end();
    const { text, policy } = await servedReport(feed);
    response
      .writeHead(200, { 'content-security-policy': `${policy}; frame-ancestors 'none'` })
      .end(text);
  }

  #fleet(person: PersonScope) {
    return fleetReport(this.#parts.database, fleetDays, (machine) => isShared(machine, person));
  }

  #approvals(person: PersonScope): Approvals {
    const store = databaseStore(this.#parts.database);
    const within = person.workspaces();
    const own: CallStore = {
      ...store,
      approval: async (number) => seenApproval(await store.approval(number), person),
      approvals: async (page) => {
        const rows = await store.approvals({ ...page, within });
        return rows.map((row) => seenApproval(row, person)!);
      },
      countApprovals: (filter) => store.countApprovals({ ...filter, within }),
      answerApproval: (number, answer) => answerAs(this.#parts, person, { number, ...answer }),
    };
    return new Approvals(withKeys(own, this.#parts.key));
  }

  async #shown(person: PersonScope, question: string, problem?: string): Promise<string> {
    const approval = await this.#approvals(person).show(question);
    const votes = await votesFor(this.#parts.database, question.slice('ap-'.length));
    const missing = neededApprovals(this.#parts.settings, approval) - votes.length;
    return approvalPage(person, approval, { votes, missing, problem });
  }

  async #list(person: PersonScope, { searchParams }: URL, response: ServerResponse): Promise<void> {
    const approvals = this.#approvals(person);
    const isAll = searchParams.has('all');
    const after = searchParams.get('after') ?? undefined;
    const listed = await approvals.list({
      answered: isAll,
      newestFirst: isAll,
      limit: perPage + 1,
      after,
    });
    const count = await approvals.count({ answered: isAll });
    const found = listed.slice(0, perPage);
    const next = listed.length > found.length ? found.at(-1)?.id : undefined;
    response.end(listPage(person, found, { count, isAll, next }));
  }

  async #answered(
    person: PersonScope,
    question: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const form = await formOf(request);
    const decision = (['approve', 'deny'] as const).find((one) => one === form.get('decision'));
    const approvals = this.#approvals(person);
    let problem: string | undefined;
    try {
      if (decision === undefined) problem = 'Choose an answer.';
      else {
        const answered = await approvals.answer(question, {
          decision,
          by: person.name,
          digest: form.get('digest') ?? '',
          note: form.get('note') || undefined,
          input: inputIn(form, decision),
        });
        if (!answered.accepted) problem = `It was ${answered.was.decision} before.`;
      }
    } catch (error) {
      if (!isHookmachineError(error) || error.code === 'DATABASE_UNAVAILABLE') throw error;
      problem = error.message;
    }
    if (problem === undefined)
      return void response.writeHead(303, { location: `/approvals/${question}` }).end();
    response.writeHead(409).end(await this.#shown(person, question, problem));
  }

  async #toProvider({ searchParams }: URL, response: ServerResponse): Promise<void> {
    if (!this.#signIn) return void response.writeHead(404).end(plainPage('Not found', undefined, 'There is no such page.')); // prettier-ignore
    const { address, kept } = await this.#signIn.begin();
    const { state, nonce, verifier } = kept;
    const value = [state, nonce, verifier, encodeURIComponent(ownPath(searchParams.get('to')))].join('.'); // prettier-ignore
    response
      .writeHead(303, {
        location: address.href,
        'set-cookie': this.#cookieText(`${this.#cookie}-sign-in`, value, 600),
      })
      .end();
  }

  async #fromProvider(
    { searchParams }: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const kept = cookieIn(request, `${this.#cookie}-sign-in`)?.split('.');
    if (!this.#signIn || kept === undefined || kept.length < 4)
      return void response.writeHead(400).end(signInPage(this.#signIn !== undefined, '/', 'Signing in took too long: begin again.')); // prettier-ignore
    const [state = '', nonce = '', verifier = '', ...to] = kept;
    const signingIn: SigningIn = { state, nonce, verifier };
    const email = await this.#signIn.end(searchParams, signingIn);
    const person = await this.#parts.members.personOf(email);
    if (person === undefined)
      return void response.writeHead(403).end(signInPage(true, '/', `This hub does not know ${email}: ask its operator to add you.`)); // prettier-ignore
    await this.#begin(person, decodeURIComponent(to.join('.')), response);
  }

  async #byToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await formOf(request);
    const to = ownPath(form.get('to'));
    const holder = await this.#parts.holders.of(form.get('token') ?? '');
    if (holder?.kind !== 'person')
      return void response.writeHead(403).end(signInPage(this.#signIn !== undefined, to, 'This is not the token of a person whom this hub knows.')); // prettier-ignore
    await this.#begin(holder.name, to, response);
  }

  async #begin(person: string, to: string, response: ServerResponse): Promise<void> {
    const { token } = await this.#parts.members.personToken(person, {
      purpose: 'session',
      lasts: sessionLasts,
    });
    response
      .writeHead(303, {
        location: ownPath(to),
        'set-cookie': [
          this.#cookieText(this.#cookie, token, sessionLasts / 1_000),
          this.#cookieText(`${this.#cookie}-sign-in`, '', 0),
        ],
      })
      .end();
  }

  async #signOut(token: string, response: ServerResponse): Promise<void> {
    await this.#parts.members.endToken(token);
    this.#parts.holders.forget(token);
    response
      .writeHead(303, { location: '/', 'set-cookie': this.#cookieText(this.#cookie, '', 0) })
      .end();
  }

  #cookieText(name: string, value: string, seconds: number): string {
    const secure = this.#cookie.startsWith('__Host-') ? '; Secure' : '';
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  }
}

const isShared = ({ workspaces }: Machine, person: PersonScope): boolean =>
  workspaces.some((one) => person.mayShare(one));

/** A path of this hub, and of no other site. */
const ownPath = (path: string | null): string =>
  path !== null && /^\/(?![/\\])[\w/.-]*$/.test(path) ? path : '/';

const cookieIn = ({ headers: { cookie } }: IncomingMessage, name: string): string | undefined =>
  cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) || undefined;

/** The arguments in a form, which count with an approval. @throws {HookmachineError} `ARGUMENT_INVALID` */
function inputIn(form: URLSearchParams, decision: string): ToolInput | undefined {
  const text = form.get('input') ?? '';
  if (decision !== 'approve' || text.trim() === '') return undefined;
  const parsed = parseJson(text, true);
  if ('value' in parsed && isRecord(parsed.value)) return parsed.value;
  throw new HookmachineError('ARGUMENT_INVALID', 'The arguments are not a JSON object.');
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await requestBody(request, mostBytes);
  return new URLSearchParams(body?.toString() ?? '');
}

function problemOf(error: unknown): readonly [status: number, said: string] {
  if (!isHookmachineError(error)) return [500, 'The hub failed; its own log says why.'];
  const { code, message } = error;
  if (code === 'DATABASE_UNAVAILABLE') return [503, 'The database cannot be reached right now.'];
  return [code === 'APPROVAL_UNKNOWN' || code === 'CALL_UNKNOWN' ? 404 : 403, message];
}
