import type { IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../../base/json.ts';
import { type Fields } from './formats/format.ts';
import { parsed, textOf } from './formats/shared.ts';

/** The headers in which agents name their session. */
const sessionHeaders = [
  'x-claude-code-session-id',
  'session_id',
  'session-id',
  'x-session-id',
  'x-session-affinity',
  'conversation_id',
];

/** The session that a request belongs to, if its agent says so; safe in file names. */
export function sessionOf(headers: IncomingHttpHeaders, body: Fields): string | undefined {
  const metadata = fieldsOf(body['metadata']);
  const user = textOf(metadata['user_id']);
  const candidates: unknown[] = [
    ...sessionHeaders.map((name) => headers[name]),
    fieldsOf(parsed(user))['session_id'],
    /_session_([\w-]+)$/.exec(user)?.[1],
    metadata['sessionId'],
    metadata['session_id'],
    body['prompt_cache_key'],
  ];
  return candidates.find(
    (one): one is string => typeof one === 'string' && /^[\w.-]{1,200}$/.test(one),
  );
}
