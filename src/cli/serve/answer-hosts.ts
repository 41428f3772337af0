import type { IncomingMessage, ServerResponse } from 'node:http';
import { foreignIn, isSame } from '../../watch/inspector/admission.ts';
import { refuse, type Beside } from '../../watch/inspector/serve-feed.ts';
import type { EventInput } from '../../hosts/parts/event-input.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { bodyOf } from './body-of.ts';
import { messageOf } from '../../base/message-of.ts';

/** An event that a host has posted. */
export interface Posted {
  readonly host: string;
  /** The event that the path names after the host, if any. */
  readonly event: string | undefined;
  readonly input: EventInput;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** How hosts are answered. */
export interface AnswerHostsOptions {
  readonly token: string;
  /** Advice for a user without the right token. */
  readonly tokenHint: string;
  /**
   * The answer to the host; undefined for none. A `HookmachineError` says what is wrong with the posted
   * event.
   */
  readonly answer: (posted: Posted) => Promise<object | undefined>;
  /** Whether requests to a path carry a signature that whoever answers checks, so that they need no token. */
  readonly isSigned?: (path: string) => boolean;
  /** Called with the reason why a host was not answered. */
  readonly warn: (line: string) => void;
}

/** Answers hosts, alongside the inspector's page. */
export interface HostAnswers extends Beside {
  /** Ends the hooks that still run, and tells their hosts so. */
  readonly end: () => Promise<void>;
}

/**
 * Answers what hosts post to `/HOST` and `/HOST/EVENT` with the token in their `Authorization` header:
 * 200 with a JSON object, or 204 if there is nothing to say. Any other status says in one line why there is
 * no answer, and hosts take it for a failed hook: a denial never has such a status, and an event that must be
 * judged is denied if it cannot be.
 */
export function answerHosts(options: AnswerHostsOptions): HostAnswers {
  const { token, tokenHint, warn } = options;
  const running = new Map<AbortController, Promise<void>>();
  let hasEnded = false;

  return {
    token,
    answers(request, response, { port, admit }) {
      if (request.method === 'GET') return false;
      const refusal = refusalOf(
        request,
        options.isSigned?.(request.url ?? '') ? undefined : token,
        port,
      );
      if (refusal) {
        const [status, reason] = refusal;
        const about = status === 401 ? `${reason}; ${tokenHint}` : reason;
        warn(`a request was answered with status ${status}: ${about}`);
        refuse(response, status, about, moreOf(status));
        return true;
      }
      admit();
      if (hasEnded) {
        refuse(response, 503, 'hookmachine serve is ending');
        return true;
      }
      const abort = new AbortController();
      response.once('close', () => {
        if (!response.writableFinished) abort.abort(new Error('the host no longer waits'));
      });
      const done = answerOne(
        { request, response, signal: abort.signal },
        options,
        () => hasEnded,
      ).finally(() => running.delete(abort));
      running.set(abort, done);
      return true;
    },
    async end() {
      hasEnded = true;
      const left = [...running];
      for (const [abort] of left) abort.abort(new Error('hookmachine serve ends'));
      await Promise.allSettled(left.map(([, done]) => done));
    },
  };
}

/** One request and its response; the signal aborts when nobody waits for it any more. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

async function answerOne(
  { request, response, signal }: Exchange,
  { answer: judge, warn }: AnswerHostsOptions,
  hasEnded: () => boolean,
): Promise<void> {
  const fail = (status: number, reason: string): void => {
    request.resume();
    if (signal.aborted && !hasEnded()) return;
    warn(`${request.url} was answered with status ${status}: ${reason}`);
    refuse(response, status, reason);
  };
  const path = /^\/([\w-]+)(?:\/([\w.]+))?$/.exec(request.url ?? '');
  if (path === null) return fail(404, 'post an event to /HOST or /HOST/EVENT');
  let input: EventInput | undefined;
  try {
    input = await bodyOf(request, signal);
    const answer = await judge({ host: path[1]!, event: path[2], input, signal });
    if (answer === undefined) return void response.writeHead(204, { connection: 'close' }).end();
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(answer));
  } catch (error) {
    if (hasEnded()) fail(503, endedEarly);
    else if (isHookmachineError(error, 'COMMAND_FAILED'))
      fail(input?.isTooLarge ? 413 : 400, error.message);
    else fail(500, `the hooks could not be run: ${messageOf(error)}`);
  }
}

const endedEarly = 'hookmachine serve has ended before the hooks had';

function refusalOf(
  request: IncomingMessage,
  token: string | undefined,
  port: number,
): readonly [status: number, reason: string] | undefined {
  if (request.method !== 'POST') return [405, 'send events with POST'];
  const foreign = foreignIn(request, port);
  if (foreign !== undefined) return [403, foreign];
  if (token === undefined) return undefined;
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return isSame(given, token) ? undefined : [401, 'the token is missing or wrong'];
}

const moreOf = (status: number): Record<string, string> =>
  status === 405
    ? { allow: 'GET, POST' }
    : status === 401
      ? { 'www-authenticate': 'Bearer realm="hookmachine"' }
      : {};
