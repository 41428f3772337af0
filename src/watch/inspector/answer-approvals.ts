import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestBody } from '../../base/request-body.ts';
import { userInfo } from 'node:os';
import { isHookmachineError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { ApprovalsSource, ListedApprovals } from './approvals-source.ts';
import { messageOf } from '../../base/message-of.ts';

/** How many approvals are sent to a page at once. */
const mostListed = 200;

/** The longest answer, in bytes, and the longest name of an answerer, in characters. */
const mostBytes = 64 * 1024;
const longestName = 200;

/** The paths of the page's requests, and the method of each. */
export const approvalPaths: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['approvals', 'GET'],
  ['approvals/call', 'GET'],
  ['approvals/answer', 'POST'],
]);

/** Responds to a page's request about approvals, which has already been admitted. */
export async function answerAboutApprovals(
  source: ApprovalsSource,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  try {
    if (name === 'approvals') send(response, 200, await listed(source, searchParams.has('all')));
    else if (name === 'approvals/call')
      send(response, 200, await source.audit(searchParams.get('id') ?? ''));
    else await answer(source, request, response);
  } catch (error) {
    send(response, statusOf(error), { problem: messageOf(error) });
  }
}

async function listed({ approvals }: ApprovalsSource, all: boolean): Promise<ListedApprovals> {
  const [waiting, answered, count] = await Promise.all([
    approvals.list({ answered: false, newestFirst: false, limit: mostListed }),
    all ? approvals.list({ answered: true, newestFirst: true, limit: mostListed }) : [],
    approvals.count({ all }),
  ]);
  return { approvals: [...waiting, ...answered], count, user: userInfo().username };
}

async function answer(
  { approvals }: ApprovalsSource,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Another page could send a form here, but not JSON, and its requests have another origin or none.
  if (
    request.headers.origin === undefined ||
    !/^application\/json\b/.test(request.headers['content-type'] ?? '')
  )
    // prettier-ignore
    return send(response, 403, { problem: 'an answer must be JSON and come from the page' });
  const given = answerIn((await requestBody(request, mostBytes))?.toString());
  if (given === undefined)
    return send(response, 400, {
      problem: 'an answer needs an id, a digest, a decision and a name',
    });
  const { id, ...options } = given;
  send(response, 200, await approvals.answer(id, options));
}

const decisions = ['approve', 'deny', 'withdraw'] as const;

/** An answer names what it answers: the digest of what was shown. */
function answerIn(text: string | undefined) {
  const given = parsed(text);
  if (!isRecord(given)) return undefined;
  const { id, digest, by, note } = given;
  const decision = decisions.find((one) => one === given['decision']);
  if (typeof id !== 'string' || typeof digest !== 'string' || decision === undefined)
    return undefined;
  if (typeof by !== 'string' || by.trim() === '' || by.length > longestName) return undefined;
  if (note !== undefined && typeof note !== 'string') return undefined;
  return { id, digest, decision, by: by.trim(), ...(note && { note }) };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function statusOf(error: unknown): number {
  const code = isHookmachineError(error) ? error.code : undefined;
  if (code === 'APPROVAL_UNKNOWN' || code === 'CALL_UNKNOWN') return 404;
  if (code === 'APPROVAL_MISMATCH') return 409;
  return code === 'DATABASE_UNAVAILABLE' ? 503 : 500;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      // The unread rest must not be taken for the next request.
      ...(status >= 400 && { connection: 'close' }),
    })
    .end(JSON.stringify(body));
}
