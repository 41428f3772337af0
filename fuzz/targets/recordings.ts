import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Feed } from '../../src/watch/inspector/feed.ts';
import { accounts } from '../../src/watch/journal/account.ts';
import type { JournalEntry, RecordingHeader } from '../../src/watch/journal/entry.ts';
import { explain } from '../../src/watch/journal/explain.ts';
import { readRecording } from '../../src/watch/journal/read-recording.ts';
import { RecordingError } from '../../src/watch/journal/recording-error.ts';
import { startRecording } from '../../src/watch/journal/start-recording.ts';
import { promise, type Target } from '../target.ts';

let folder: string | undefined;

const header =
  '{"kind":"recording","format":"hookmachine","version":1,"at":1700000000000,"payloads":true}';
const good = '{"kind":"warned","at":1,"text":"a line of our own"}';
const torn = '{"kind":"mov';

/** Any bytes as a recording, alone and between lines that can be read. */
export const recordings: Target = {
  name: 'recordings',
  words: [
    header,
    'kind',
    'recording',
    'format',
    'version',
    'started',
    'moved',
    'answered',
    'verdict',
    'ended',
    'warned',
    'toolCall',
    'hookEvent',
    'hookProcess',
    'agentTurn',
    'plan',
    'hooks',
    'parent',
    'machine',
    'status',
    'blocked',
    'settled',
    'answer',
    'setBy',
    'conflicts',
    '}\n{',
  ],
  async run(text) {
    folder ??= mkdtempSync(join(tmpdir(), 'hookmachine fuzz '));
    const file = join(folder, 'session.jsonl');
    for (const bytes of [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]) {
      writeFileSync(file, bytes);
      await readAlone(file);
      await appendTo(file, bytes);
      await readBetween(file, bytes);
    }
  },
  close() {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  },
};

/** Reads a recording as a session's page and `hookmachine explain` do. */
async function readAll(file: string): Promise<{ read: string[]; skipped: string[] }> {
  const read: string[] = [];
  const skipped: string[] = [];
  const feed = new Feed({ source: 'recording', title: file, payloads: true });
  const onSkipped = ({ message }: { message: string }): void => void skipped.push(message);
  const entries = async function* (): AsyncGenerator<JournalEntry | RecordingHeader> {
    for await (const entry of readRecording(file, { onSkipped })) {
      read.push(JSON.stringify(entry));
      if (entry.kind !== 'recording') feed.write(entry);
      yield entry;
    }
  };
  for await (const call of accounts(entries())) {
    JSON.stringify(call);
    promise(explain(call).length > 0, 'something can be said about every call');
  }
  return { read, skipped };
}

async function readAlone(file: string): Promise<void> {
  try {
    const { read } = await readAll(file);
    promise(read.length > 0, 'a recording that can be read begins with its header');
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    promise(error.message.startsWith(`${file}: `), 'an error names its file');
  }
}

/**
 * A file that is accepted as a recording to append to can be read afterwards; anything else is left alone.
 */
async function appendTo(file: string, bytes: Buffer): Promise<void> {
  try {
    startRecording(file, { cwd: folder!, onWarning: () => undefined }).close();
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    promise(readFileSync(file).equals(bytes), 'what is not a recording is left as it is');
    return;
  }
  promise(readFileSync(file).subarray(0, bytes.length).equals(bytes), 'nothing is overwritten');
  const { read } = await readAll(file);
  promise(read.at(-1)!.includes('"kind":"recording"'), 'the session that was appended is read');
}

/** Puts a valid line after each line of the input, and a torn one at the end. */
async function readBetween(file: string, bytes: Buffer): Promise<void> {
  // A line of the input may begin a session of a newer version.
  const ours = Buffer.from(`\n${header}\n${good}\n`);
  const lines = linesOf(bytes);
  const parts = lines.flatMap((line) => [line, ours]);
  writeFileSync(file, Buffer.concat([Buffer.from(ours.subarray(1)), ...parts, Buffer.from(torn)]));
  const { read, skipped } = await readAll(file);
  const count = read.filter((line) => line === good).length;
  const own = lines.filter((line) => line.toString('utf8').includes('a line of our own')).length;
  promise(count >= lines.length + 1 && count <= lines.length + 1 + own, 'no line costs another');
  promise(skipped.at(-1)!.startsWith('is torn'), 'the torn line is reported');
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end; (end = bytes.indexOf(10, start)) !== -1; start = end + 1)
    lines.push(bytes.subarray(start, end));
  return [...lines, bytes.subarray(start)];
}
