import { isHookmachineError } from '../../base/errors.ts';
import { oneLine } from '../../base/log.ts';
import { isRecord } from '../../base/json.ts';
import { ModelError } from './model-error.ts';
import { messageOf } from '../../base/message-of.ts';

/**
 * Converts what a provider's client threw to an error whose one line says what happened and how to fix it.
 */
export function modelFailure(model: string, thrown: unknown): ModelError {
  if (isHookmachineError(thrown, 'MODEL_ERROR')) return thrown as ModelError;
  const chain = causes(thrown);
  const status = chain
    .flatMap((error) => [error['statusCode'], error['status'], error['code']])
    .find(isStatus);
  const code = first(chain, (error) => error['code'], isText);
  const detail = tell(thrown);
  const say = (message: string, retryable: boolean): ModelError =>
    new ModelError(`${model}: ${message}`, { status, retryable, cause: thrown });

  if (status !== undefined) {
    const [text, fix] = meaningOf(status);
    return say(`${text} (${status}): ${detail}; ${fix}`, isRetryable(status));
  }
  if (code !== undefined && unreachable.has(code))
    return say(`${whereOf(chain)} could not be reached (${code})`, true);
  if (isBrokenOff(chain, code))
    return say('the connection broke off before the answer was complete; try again', true);
  if (chain.some(({ name }) => isText(name) && unreadable.has(name)))
    return say(`the provider sent an answer that could not be understood: ${detail}`, true);
  return say(detail, chain.some(isOverload));
}

/** The error for an answer that ended before the provider marked it complete. */
export const brokenOff = (model: string): ModelError =>
  new ModelError(`${model}: the answer broke off before it was complete; try again`, {
    retryable: true,
  });

type Fields = Readonly<Record<string, unknown>>;

/** The thrown error and its causes, the outermost first. */
function causes(thrown: unknown): Fields[] {
  const found = new Set<Fields>();
  const waiting = [thrown];
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || found.has(next as Fields)) continue;
    found.add(next as Fields);
    const { cause, errors, error } = next as Fields;
    waiting.push(cause, error, ...(Array.isArray(errors) ? errors : []));
  }
  return [...found];
}

function first<T>(
  chain: readonly Fields[],
  read: (fields: Fields) => unknown,
  fits: (value: unknown) => value is T,
): T | undefined {
  return chain.map(read).find(fits);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && value >= 400 && value < 600;

const isRetryable = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

function meaningOf(status: number): readonly [text: string, fix: string] {
  if (status === 401 || status === 403)
    return ['the API key was refused', 'check the key and its permissions'];
  if (status === 404) return ['there is no such model or address', 'check the name and the URL'];
  if (status === 429) return ['the rate limit was reached', 'wait and try again'];
  if (status >= 500) return ['the provider failed', 'try again later'];
  return ['the provider refused the request', 'check what was sent'];
}

const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The address that was called, without parts that could be secret. */
function whereOf(chain: readonly Fields[]): string {
  const url = first(chain, (error) => error['url'], isText);
  if (url !== undefined && URL.canParse(url)) return withoutSecrets(url);
  const host = first(chain, ({ address, hostname }) => address ?? hostname, isText);
  const port = first(
    chain,
    (error) => error['port'],
    (value): value is number => Number.isInteger(value),
  );
  return host === undefined ? 'the provider' : port === undefined ? host : `${host}:${port}`;
}

function withoutSecrets(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}

const brokenCodes: readonly unknown[] = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
];

const isBrokenOff = (chain: readonly Fields[], code: string | undefined): boolean =>
  brokenCodes.includes(code) ||
  chain.some(
    ({ name, message }) =>
      (name === 'TypeError' && message === 'terminated') ||
      (isText(message) && brokenWords.test(message)),
  );

/** Messages with which clients report a stream that ended too early. */
const brokenWords = /^Incomplete JSON segment at the end|ended without a finish reason/;

const unreadable: ReadonlySet<string> = new Set([
  'SyntaxError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
]);

const isOverload = ({ type }: Fields): boolean =>
  isText(type) &&
  ['overloaded_error', 'rate_limit_error', 'api_error', 'server_error'].includes(type);

/** The provider's own message, whether it came as plain text or as JSON. */
function tell(thrown: unknown): string {
  const message =
    isRecord(thrown) && isText(thrown['message']) ? thrown['message'] : messageOf(thrown);
  return oneLine(innerMessage(message), 200) || 'the provider gave no reason';
}

function innerMessage(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { error, message } = JSON.parse(text) as Fields;
    const inner = isRecord(error) ? error['message'] : (message ?? error);
    return isText(inner) ? innerMessage(inner) : text;
  } catch {
    return text;
  }
}
