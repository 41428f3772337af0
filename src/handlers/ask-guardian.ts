import { resolve } from 'node:path';
import { isRecord } from '../base/json.ts';
import { readBounded } from '../settings/files/read-bounded.ts';
import type { Answering, HandlerAnswer } from './handler.ts';
import { answerByHttp } from './http.ts';
import { answerIn, helloFor, requestFor } from './acs/question.ts';
import { isSigned, signed, type Envelope } from './acs/wire.ts';

/** The code of a Guardian that wants to be greeted first. */
const notGreeted = -32_003;

const codeOf = ({ error }: Envelope): unknown => (isRecord(error) ? error['code'] : undefined);

/** The longest secret, in bytes. */
const longest = 64 * 1024;

/**
 * Asks a Guardian of the OWASP Agent Control Standard. Whatever it answers other than a decision is the failure of
 * the hook, and a decision that nobody understands denies.
 */
export const askGuardian: Answering<'acs'> = async (handler, call) => {
  const event = JSON.parse(call.stdin) as Readonly<Record<string, unknown>>;
  const agent = handler.agent ?? 'hookmachine';
  let request = requestFor(event, agent);
  if (request === undefined) {
    call.started();
    return { stdout: '', notes: ['the Agent Control Standard has no step for this event'] };
  }
  const { session_id: named } = event;
  const session = typeof named === 'string' ? named : '';
  const secret = handler.secretFile === undefined ? undefined : secretIn(resolve(call.command.cwd, handler.secretFile)); // prettier-ignore
  // The deadline runs from the first message on.
  let isStarted = false;
  const started = (): void => {
    if (!isStarted) call.started();
    isStarted = true;
  };
  const send = async (
    message: Envelope,
  ): Promise<HandlerAnswer & { readonly response: Envelope }> => {
    const stdin = JSON.stringify(secret === undefined ? message : signed(message, secret, session));
    const given = await answerByHttp({ ...handler, kind: 'http' }, { ...call, stdin, started });
    const response = JSON.parse(given.stdout || '{}') as Envelope;
    return { ...given, response };
  };
  let answer = await send(request);
  if (codeOf(answer.response) === notGreeted) {
    // A Guardian may have been restarted since the session began.
    await send(helloFor(request));
    // A request is judged once; this is another one.
    request = requestFor(event, agent)!;
    answer = await send(request);
  }
  const { response, ...plain } = answer;
  if (plain.error !== undefined) return plain;
  const fault = faultIn(response, request, (one) => secret === undefined || isSigned(one, secret, session)); // prettier-ignore
  if (fault !== undefined) return { ...plain, stdout: '', error: new Error(fault) };
  const { output } = answerIn(response['result'] as Readonly<Record<string, unknown>>, event);
  return { ...plain, stdout: output === undefined ? '' : JSON.stringify(output) };
};

/** @throws an error that names the file */
function secretIn(file: string): string {
  let found: ReturnType<typeof readBounded>;
  try {
    found = readBounded(file, longest);
  } catch (cause) {
    throw new Error(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
  if ('refused' in found) throw new Error(`${file} is ${found.refused}`);
  return found.bytes.toString().trim();
}

/** Says why a response is no answer to this request: everybody who can reach the port could send one. */
function faultIn(
  response: Envelope,
  request: NonNullable<ReturnType<typeof requestFor>>,
  isGenuine: (response: Envelope) => boolean,
): string | undefined {
  const { result, error, id } = response;
  if (!isGenuine(response)) return "the signature of the Guardian's answer is missing or wrong";
  if (isRecord(error))
    return `the Guardian refused the request: ${String(error['message'])} (${String(error['code'])})`;
  if (!isRecord(result)) return "the Guardian's answer is no JSON-RPC result";
  if (
    id !== request['id'] ||
    (result['request_id'] ?? request.params.request_id) !== request.params.request_id
  )
    // prettier-ignore
    return "the Guardian's answer is for another request";
  return undefined;
}
