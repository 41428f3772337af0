import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readRecording } from '../../../src/watch/journal/read-recording.ts';
import {
  startRecording,
  type RecordingOptions,
} from '../../../src/watch/journal/start-recording.ts';
import { callTool } from '../../support/call-tool.ts';
import { inParallel } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const denying = { BeforeTool: inParallel({ name: 'guard', command: 'echo no >&2; exit 2' }) };

/** Records a denied call. */
async function record(file: string, options: RecordingOptions = {}) {
  const warnings: string[] = [];
  const onWarning = (line: string) => void warnings.push(line);
  const recording = startRecording(file, { onWarning, ...options });
  const { outcome } = await callTool(denying, { config: { inspect: recording.observe } });
  recording.close();
  return { status: outcome.status, warnings };
}

/** The kinds of the entries of a recording. */
async function kindsIn(file: string): Promise<string[]> {
  const kinds: string[] = [];
  for await (const { kind } of readRecording(file)) kinds.push(kind);
  return kinds;
}

const newFile = (name = 'r.jsonl') => join(tempFolder(), name);

describe('a recording', () => {
  test('a recording begins with a header and ends with the end of the call, in a file that only its owner may read', async () => {
    const file = newFile();
    expect(await record(file)).toEqual({ status: 'blocked', warnings: [] });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0]!)).toEqual({
      kind: 'recording',
      format: 'hookmachine',
      version: 1,
      at: expect.any(Number),
      payloads: false,
    });
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ kind: 'ended', status: 'blocked' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a recording is written while the call runs', async () => {
    const file = newFile();
    const recording = startRecording(file);
    let whileItRan = '';
    await callTool(
      {},
      {
        config: { inspect: recording.observe },
        tool: () => {
          whileItRan = readFileSync(file, 'utf8');
          return Promise.resolve({ llmContent: '', returnDisplay: '' });
        },
      },
    );
    recording.close();
    expect(whileItRan).toMatch(/"kind":"started".*"machine":"toolCall".*\n$/s);
    expect(whileItRan).not.toContain('"ended"');
  });

  test('nothing is recorded after closing, and closing twice does no harm', async () => {
    const file = newFile();
    const recording = startRecording(file);
    recording.close();
    recording.close();
    recording.warned('too late');
    await callTool(denying, { config: { inspect: recording.observe } });
    expect(await kindsIn(file)).toEqual(['recording']);
  });

  test('a second session is appended to a recording, with a header of its own', async () => {
    const file = newFile();
    await record(file);
    const first = readFileSync(file, 'utf8');
    await record(file, { payloads: true });
    expect(readFileSync(file, 'utf8').startsWith(first)).toBe(true);
    expect((await kindsIn(file)).filter((kind) => kind === 'recording')).toHaveLength(2);
  });

  test('several processes may append to a recording at once', async () => {
    const file = newFile();
    await Promise.all(Array.from({ length: 5 }, () => record(file)));
    const kinds = await kindsIn(file);
    expect(kinds.filter((kind) => kind === 'verdict')).toHaveLength(5);
    const ids = new Set(
      readFileSync(file, 'utf8').match(/"kind":"started","at":[\d.]+,"id":"[^"]+"/g),
    );
    expect(ids.size).toBe(15);
  });

  test('a recording can be started in an empty file, and after a torn last line', async () => {
    const file = newFile();
    writeFileSync(file, '');
    await record(file);
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${whole}{"kind":"star`);
    await record(file);
    const skipped: number[] = [];
    let headers = 0;
    const onSkipped = ({ line }: { line: number }) => void skipped.push(line);
    for await (const { kind } of readRecording(file, { onSkipped }))
      headers += kind === 'recording' ? 1 : 0;
    expect(headers).toBe(2);
    expect(skipped).toEqual([whole.split('\n').length]);
  });

  test.each([
    [
      'notes',
      /notes\.txt: this file is not a hookmachine recording, so it was left unchanged; record/,
    ],
    ['{"kind":"recording","format":"other","version":1}\n', /not a hookmachine recording/],
    ['{"kind":"recording","format":"hookmachine","version":2}\n', /by a newer hookmachine; record/],
    [Buffer.from([0, 1, 2, 255]), /not a hookmachine recording/],
    [
      `{"kind":"recording","format":"hookmachine","version":1}${' '.repeat(1_000)}x\n`,
      /not a hookmachine recording/,
    ],
  ])('a file that is not a recording is refused and left unchanged: %j', (content, message) => {
    const file = newFile('notes.txt');
    writeFileSync(file, content);
    expect(() => startRecording(file)).toThrow(message);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  test('recording to a folder is refused', () => {
    expect(() => startRecording(tempFolder())).toThrow(
      /this is a folder; name a file to record to/,
    );
  });

  test('a full disk fails no call, and is warned about once', async () => {
    expect(await record('/dev/full')).toEqual({
      status: 'blocked',
      warnings: [
        expect.stringMatching(
          /^\/dev\/full: cannot be written \(ENOSPC.*\), so nothing more is recorded$/,
        ),
      ],
    });
  });

  test('a path that cannot be written fails no call, and is warned about once', async () => {
    const file = join(tempFolder(), 'missing', 'r.jsonl');
    expect(await record(file)).toEqual({
      status: 'blocked',
      warnings: [
        expect.stringMatching(
          /r\.jsonl: cannot be written \(ENOENT.*\), so nothing more is recorded$/,
        ),
      ],
    });
  });

  test('a warning sink that throws does not fail the call', async () => {
    const onWarning = vi.fn(() => {
      throw new Error('no');
    });
    expect(await record('/dev/full', { onWarning })).toMatchObject({ status: 'blocked' });
    expect(onWarning).toHaveBeenCalledOnce();
  });
});

/** The kinds of the entries that are read, and the lines that are skipped. */
const read = async (file: string) => {
  const skipped: string[] = [];
  const kinds: string[] = [];
  const onSkipped = ({ line, message }: { line: number; message: string }) =>
    void skipped.push(`${line} ${message}`);
  for await (const { kind } of readRecording(file, { onSkipped })) kinds.push(kind);
  return { kinds, skipped };
};

const fileOf = (content: string | Buffer): string => {
  const file = newFile();
  writeFileSync(file, content);
  return file;
};

describe('reading a recording', () => {
  const header = JSON.stringify({
    kind: 'recording',
    format: 'hookmachine',
    version: 1,
    at: 1,
    payloads: false,
  });
  const ended = JSON.stringify({ kind: 'ended', at: 2, id: 'a', status: 'done' });

  test.each([
    ['', /r\.jsonl: this file is empty; make a recording with --record FILE$/],
    ['hello\n', /this is not a hookmachine recording: line 1 is not a header/],
    [Buffer.alloc(100_000, 0), /this is not a hookmachine recording/],
    [`${ended}\n`, /this is not a hookmachine recording/],
    [
      header.replace(':1,', ':2,'),
      /this recording was made by a newer hookmachine; read it with that one$/,
    ],
  ])('reading a file with the content %j fails with one clear error', async (content, message) => {
    await expect(read(fileOf(content))).rejects.toThrow(message);
  });

  test('reading a missing file, a folder or an unreadable path fails with one clear error', async () => {
    await expect(read(newFile('none'))).rejects.toThrow(
      /there is no such file; make one with --record/,
    );
    await expect(read(tempFolder())).rejects.toThrow(/this is not a file; name a recording/);
    const folder = tempFolder();
    mkdirSync(join(folder, 'sub'));
    await expect(read(join(folder, 'x'.repeat(300)))).rejects.toThrow(
      /cannot be read \(ENAMETOOLONG/,
    );
  });

  test.skipIf(process.getuid?.() === 0)(
    'reading a file without permission fails with one clear error (root may read everything)',
    async () => {
      const file = fileOf(header);
      chmodSync(file, 0);
      await expect(read(file)).rejects.toThrow(/cannot be read/);
    },
  );

  test('a broken line is skipped and reported, and the others still count', async () => {
    const lines = [
      header,
      ended,
      '{"kind":',
      ended,
      '{"kind":"danced","at":1}',
      '{"kind":"verdict","at":1,"id":"a","blocked":true,"stop":false,"setBy":{},"conflicts":[1]}',
      '{"kind":"__proto__","at":1}',
      '[]',
      '',
      ended,
    ];
    expect(await read(fileOf(`${lines.join('\n')}\n`))).toEqual({
      kinds: ['recording', 'ended', 'ended', 'ended'],
      skipped: [
        '3 is not valid JSON',
        '5 is not a journal entry',
        '6 is not a journal entry: "conflicts" is an array',
        '7 is not a journal entry',
        '8 is not a journal entry',
      ],
    });
  });

  test.each([
    ['"at":8.64e15', undefined],
    ['"at":-8.64e15', undefined],
    ['"at":1e16', 'is not a journal entry: "at" is 10000000000000000, which is not a valid time'],
    ['"at":-9e15', 'is not a journal entry: "at" is -9000000000000000, which is not a valid time'],
    ['"at":1e999', 'is not a journal entry: "at" is Infinity, which is not a valid time'],
    ['"at":null', 'is not a journal entry: "at" is null'],
    ['"at":"1"', 'is not a journal entry: "at" is "1"'],
    ['"at":NaN', 'is not valid JSON'],
  ])('an entry with %s is read, or refused with one clear message', async (at, message) => {
    const lines = [header, ended.replace('"at":2', at), ended];
    const { kinds, skipped } = await read(fileOf(`${lines.join('\n')}\n`));
    expect(skipped).toEqual(message === undefined ? [] : [`2 ${message}`]);
    expect(kinds).toEqual(
      message === undefined ? ['recording', 'ended', 'ended'] : ['recording', 'ended'],
    );
  });

  test('a header with an invalid time is reported, and its entries still count', async () => {
    expect(await read(fileOf(`${header.replace('"at":1', '"at":1e300')}\n${ended}\n`))).toEqual({
      kinds: ['recording', 'ended'],
      skipped: ['1 is a header whose "at" is 1e+300, which is not a valid date'],
    });
  });

  test('a torn last line is skipped and reported; a line that lacks only its line break is read', async () => {
    expect(await read(fileOf(`${header}\n${ended.slice(0, -5)}`))).toEqual({
      kinds: ['recording'],
      skipped: ['2 is torn: the process was ended while writing it'],
    });
    expect(await read(fileOf(`${header}\n${ended}`))).toEqual({
      kinds: ['recording', 'ended'],
      skipped: [],
    });
  });

  test('a session of a newer version in the same file is skipped', async () => {
    const newer = header.replace(':1,', ':2,');
    const lines = [header, ended, newer, '{"kind":"new"}', ended, header, ended];
    expect(await read(fileOf(`${lines.join('\n')}\n`))).toEqual({
      kinds: ['recording', 'ended', 'recording', 'ended'],
      skipped: ['3 begins a session of a newer hookmachine, which is ignored'],
    });
  });

  test('a line that is too long is skipped and not kept in memory', async () => {
    const file = fileOf(`${header}\n${'x'.repeat(17_000_000)}\n${ended}\n`);
    expect(await read(file)).toEqual({
      kinds: ['recording', 'ended'],
      skipped: ['2 is longer than 16000000 bytes'],
    });
  });

  test('a line that is nested too deep is skipped, and the others still count', async () => {
    const deep = `{"payload":${'['.repeat(100_000)}${']'.repeat(100_000)},${ended.slice(1)}`;
    expect(await read(fileOf(`${header}\n${deep}\n${ended}\n`))).toEqual({
      kinds: ['recording', 'ended'],
      skipped: ['2 is nested too deeply'],
    });
  });

  test('a reader may stop early', async () => {
    for await (const { kind } of readRecording(fileOf(`${header}\n${ended}\n`))) {
      expect(kind).toBe('recording');
      break;
    }
  });
});
