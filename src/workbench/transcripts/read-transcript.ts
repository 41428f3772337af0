import { createReadStream, readFileSync, statSync } from 'node:fs';
import { accounts } from '../../watch/journal/account.ts';
import { headerOf } from '../../watch/journal/header.ts';
import { linesOf } from '../../watch/journal/lines.ts';
import { readRecording } from '../../watch/journal/read-recording.ts';
import { messageOf } from '../../base/message-of.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import {
  type Found,
  type LineFormat,
  type PastEvent,
  type PastFault,
  timeIn,
} from './past-event.ts';
import { eventsOf } from './recording.ts';

/** A place in a file: a line, a call by the number that `hookmachine explain` gives it, or a message. */
export interface Place {
  readonly line?: number;
  readonly call?: number;
  readonly message?: number;
}

/** The format of a file, reported once. */
export interface Recognized {
  readonly kind: 'format';
  readonly title: string;
}

/** The file is in no known format. */
export interface Foreign {
  readonly kind: 'foreign';
  readonly message: string;
}

export type Reading = ((PastEvent | PastFault) & { readonly place: Place }) | Recognized | Foreign;

const formats: readonly LineFormat[] = [claudeCode, codex, geminiCli];

/** The longest line that is read, in bytes: results of tools, including images, are on one line. */
const longestLine = 64_000_000;

/** The largest file that is read as a whole, in bytes, as the older chats of Gemini CLI must be. */
const largestWhole = 256_000_000;

/** How many lines at the beginning may be torn before a file counts as one of no known format. */
const mostTorn = 20;

/**
 * Reads the events of a file as they are asked for, whichever agent wrote it; `onBytes` receives the bytes
 * read.
 */
export async function* readTranscript(
  file: string,
  onBytes: (count: number) => void = () => undefined,
): AsyncGenerator<Reading> {
  try {
    yield* file.endsWith('.json') ? readWhole(file, onBytes) : readLines(file, onBytes);
  } catch (error) {
    yield foreign(`cannot be read (${messageOf(error)})`);
  }
}

const foreign = (message: string): Foreign => ({ kind: 'foreign', message });

const unknown =
  'is neither a recording of hookmachine nor a session of Claude Code, Codex or Gemini CLI';

async function* readLines(file: string, onBytes: (count: number) => void): AsyncGenerator<Reading> {
  let format: LineFormat | undefined;
  let read: ((record: Readonly<Record<string, unknown>>) => Iterable<Found>) | undefined;
  const early: Reading[] = [];
  // A record without a time gets that of the one before it.
  let at: number | undefined;
  for await (const { number: line, text, isTorn } of linesOf(
    chunksOf(file, onBytes),
    longestLine,
  )) {
    if (text?.trim() === '') continue;
    const value = valueIn(text, isTorn);
    if (typeof value === 'string') {
      const fault: Reading = { kind: 'fault', message: value, place: { line } };
      if (format) yield fault;
      else if (early.push(fault) > mostTorn) break;
      continue;
    }
    if (!format) {
      if (headerOf(value) !== undefined) return yield* readOurs(file);
      format = formats.find(({ recognizes }) => recognizes(value));
      if (!format) break;
      read = format.reader(file);
      yield { kind: 'format', title: format.title };
      yield* early;
    }
    at = timeIn(value) ?? at;
    for (const found of read!(value)) yield { ...dated(found, at), place: { line } };
  }
  if (!format) yield foreign(unknown);
}

/** The record in a line, or what is wrong with it, in words that continue "line 7 …". */
function valueIn(
  text: string | undefined,
  isTorn: boolean,
): Readonly<Record<string, unknown>> | string {
  if (text === undefined) return `is longer than ${longestLine} bytes`;
  if (isTooDeep(text)) return 'is nested too deeply';
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'is not a JSON object';
  } catch {
    return isTorn ? 'is torn: the process was ended while writing it' : 'is not valid JSON';
  }
}

/** Reads a recording of ours. Its calls are numbered as `hookmachine explain` numbers them. */
async function* readOurs(file: string): AsyncGenerator<Reading> {
  yield { kind: 'format', title: 'hookmachine' };
  const faults: Reading[] = [];
  const onSkipped = ({ line, message }: { line: number; message: string }): void =>
    void faults.push({ kind: 'fault', message, place: { line } });
  for await (const call of accounts(readRecording(file, { onSkipped }))) {
    yield* faults.splice(0);
    for (const found of eventsOf(call))
      yield { ...dated(found, call.startedAt), place: { call: call.index } };
  }
  yield* faults;
}

/** Reads a file that is one object. */
function* readWhole(file: string, onBytes: (count: number) => void): Generator<Reading> {
  const { size } = statSync(file);
  if (size > largestWhole)
    return yield foreign(`is larger than ${largestWhole} bytes, and can only be read as a whole`);
  const value = valueIn(readFileSync(file, 'utf8'), false);
  onBytes(size);
  if (typeof value === 'string') return yield foreign(value);
  if (!geminiCli.recognizes(value)) return yield foreign(unknown);
  yield { kind: 'format', title: geminiCli.title };
  const read = geminiCli.reader(file);
  const messages = Array.isArray(value['messages']) ? (value['messages'] as unknown[]) : [];
  for (const [at, message] of messages.entries())
    for (const found of read({ ...value, messages: [message] }))
      yield { ...dated(found, isRecord(message) ? timeIn(message) : undefined), place: { message: at + 1 } }; // prettier-ignore
}

const dated = (found: Found, at: number | undefined): Found =>
  found.kind === 'event' && at !== undefined ? { ...found, at: found.at ?? at } : found;

async function* chunksOf(file: string, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    onBytes((chunk as Buffer).length);
    yield chunk as Buffer;
  }
}
