import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { makeFolder } from '../../base/folders.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import { stateFolder } from '../../settings/files/levels.ts';
import type { Price } from '../../settings/files/read-budget.ts';
import { forgetOld } from '../../settings/files/forget-old.ts';
import { noteUsage, readDay } from './ledger.ts';
import { costOf } from './price.ts';
import type { TokenUsage } from './usage.ts';

/** How much of a transcript is read at once, in bytes; the rest is read at the next event. */
const mostAtOnce = 16 * 1024 * 1024;

type Used = TokenUsage & { readonly id: string };

/** What a line of Claude Code's transcript used. */
function ofClaude(line: Readonly<Record<string, unknown>>): Used | undefined {
  const { id, model, usage } = fieldsOf(line['message']);
  if (line['type'] !== 'assistant' || !isRecord(usage) || typeof id !== 'string') return undefined;
  const count = (key: string): number => Number(usage[key] ?? 0);
  const cached = count('cache_read_input_tokens');
  const written = count('cache_creation_input_tokens');
  return {
    id,
    model: String(model),
    input: count('input_tokens') + cached + written,
    output: count('output_tokens'),
    cached,
    written,
  };
}

/** What a line of Codex's transcript used; the model is told by another line. */
function ofCodex(
  line: Readonly<Record<string, unknown>>,
  session: string,
  model: string,
): Used | undefined {
  const payload = fieldsOf(line['payload']);
  const last = fieldsOf(payload['info'])['last_token_usage'];
  if (payload['type'] !== 'token_count' || !isRecord(last)) return undefined;
  const count = (key: string): number => Number(last[key] ?? 0);
  return {
    id: `${session} ${String(line['timestamp'])}`,
    model,
    input: count('input_tokens'),
    output: count('output_tokens'),
    cached: count('cached_input_tokens'),
    thinking: count('reasoning_output_tokens'),
  };
}

/** Where reading of a transcript goes on. */
interface Place {
  readonly offset: number;
  readonly model: string;
}

/**
 * Notes what a session used according to its agent's own transcript, as far as that is new: for agents whose
 * model calls do not pass through the gateway.
 */
export async function readTranscript(
  path: unknown,
  session: string,
  prices: Readonly<Record<string, Price>>,
): Promise<void> {
  if (typeof path !== 'string' || path === '' || session === '') return;
  const isKnown = readDay().entries.some((one) => one.session === session && one.via === 'gateway');
  const folder = stateFolder('transcripts');
  if (isKnown || folder === undefined) return;
  const file = join(folder, createHash('sha256').update(path).digest('hex').slice(0, 32));
  let { offset, model } = placeIn(file);
  const text = from(path, offset);
  // A line that is longer than what is read at once is not one that says what was used.
  const isCut = Buffer.byteLength(text) >= mostAtOnce && !text.includes('\n');
  const end = isCut ? text.length : text.lastIndexOf('\n') + 1;
  for (const line of text.slice(0, end).split('\n')) {
    const value = parsed(line);
    if (value === undefined) continue;
    const named = fieldsOf(value['payload'])['model'];
    if (typeof named === 'string') model = named;
    const used = ofClaude(value) ?? ofCodex(value, session, model);
    if (used === undefined) continue;
    const { timestamp } = value;
    const isTime = typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp));
    const at = isTime ? timestamp : new Date().toISOString();
    noteUsage({ ...used, at, session, usd: await costOf(used, prices), via: 'transcript' });
  }
  if (end === 0) return;
  offset += Buffer.byteLength(text.slice(0, end));
  makeFolder(folder, 0o700);
  writeFileSync(file, JSON.stringify({ offset, model } satisfies Place), { mode: 0o600 });
  forgetOld(folder);
}

function placeIn(file: string): Place {
  try {
    const { offset, model } = JSON.parse(readFileSync(file, 'utf8')) as Place;
    return { offset, model };
  } catch {
    return { offset: 0, model: '' };
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.includes('usage') && !line.includes('"model"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file from an offset on; '' if it cannot be read. */
function from(path: string, offset: number): string {
  let descriptor: number | undefined;
  try {
    // A pipe would keep the agent waiting.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size <= offset) return '';
    const bytes = Buffer.alloc(Math.min(stats.size - offset, mostAtOnce));
    const read = readSync(descriptor, bytes, 0, bytes.length, offset);
    return bytes.toString('utf8', 0, read);
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
