import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accounts, type CallAccount } from '../../../src/watch/journal/account.ts';
import type {
  JournaledMachine,
  JournalEntry,
  RecordingHeader,
} from '../../../src/watch/journal/entry.ts';
import { explain } from '../../../src/watch/journal/explain.ts';
import { hookStats } from '../../../src/watch/journal/hook-stats.ts';
import { readRecording } from '../../../src/watch/journal/read-recording.ts';
import { inProcess } from '../../support/in-process.ts';
import { sandbox } from '../../support/sandbox.ts';

const at = 1_700_000_000_000;
const header: RecordingHeader = {
  kind: 'recording',
  format: 'hookmachine',
  version: 1,
  at,
  payloads: true,
};

/** Every field of each kind of entry, the optional ones too: adding one without a case does not compile. */
type Whole<Kind extends JournalEntry['kind']> = Required<
  Extract<JournalEntry, { readonly kind: Kind }>
>;
type Cases = { readonly [Kind in JournalEntry['kind']]: (id: string) => Whole<Kind> };

const hook = {
  name: 'guard',
  source: 'user',
  dialect: 'hookmachine',
  event: 'tool.before',
  command: 'exit 0',
  timeout: 1_000,
  async: true,
} as const;

const cases: Omit<Cases, 'started'> = {
  moved: (id) => ({ kind: 'moved', at, id, from: 'a', to: 'b.c', event: 'go' }),
  answered: (id) => ({
    kind: 'answered',
    at,
    id,
    status: 'failed',
    decision: 'deny',
    stop: true,
    reason: 'no',
    stopReason: 'enough',
    exitCode: 1,
    signal: 'SIGTERM',
    httpStatus: 500,
    durationMs: 12,
    timedOut: true,
    pieces: 3,
    changed: 1,
    failure: 'exit-1',
    error: 'it broke',
    notes: ['a note'],
    sets: ['tool_input.command'],
    payload: { stdout: 'out', stderr: 'err', output: { decision: 'deny' } },
  }),
  verdict: (id) => ({
    kind: 'verdict',
    at,
    id,
    blocked: true,
    stop: true,
    ask: true,
    defer: true,
    approved: true,
    reason: 'no',
    by: 'guard',
    stopBy: 'guard',
    stopReason: 'enough',
    setBy: { 'tool_input.command': 'guard' },
    conflicts: [{ field: 'tool_input.command', hooks: ['guard', 'other'], winner: 'guard' }],
  }),
  ended: (id) => ({ kind: 'ended', at, id, status: 'done', reason: 'over', failed: true, usage: { input: 160, output: 20, cached: 50, thinking: 5 }, payload: { llmContent: 'fine' } }), // prettier-ignore
  warned: () => ({ kind: 'warned', at, text: 'a warning' }),
};

const started = (
  machine: JournaledMachine,
  id: string,
  name: string,
  payload: unknown,
  more: Partial<Whole<'started'>> = {},
): JournalEntry => ({ kind: 'started', at, id, session: 's', machine, name, payload, ...more });

const plan = { mode: 'parallel', lanes: [{ dialect: 'hookmachine', mode: 'sequential' }], hooks: [hook] } as const; // prettier-ignore
const fields = { cwd: '/p', tool_name: 'write_file', tool_input: { command: 'ls' } };

/** How a run of each machine begins, with what it belongs to: a new machine without a case does not compile. */
const beginnings: { readonly [Machine in JournaledMachine]: readonly JournalEntry[] } = {
  agentTurn: [started('agentTurn', 'run', 'turn', 'Tidy up')],
  modelCall: [started('modelCall', 'run', 'gemini', { contents: [{ parts: [{ text: 'Hi' }] }] })],
  toolCall: [started('toolCall', 'run', 'write_file', { command: 'ls' }, { callId: 'call-1' })],
  hookEvent: [started('hookEvent', 'run', 'BeforeTool', fields, { plan })],
  answerStream: [
    started('modelCall', 'parent', 'gemini', {}),
    started('answerStream', 'run', 'AfterModel', {}, { plan, parent: 'parent' }),
  ],
  hookProcess: [
    started('hookProcess', 'run', 'guard', fields, { plan: { ...plan, outlives: 'AfterTool' } }),
  ],
};

const recordings = Object.entries(beginnings).map(([machine, begun]) => {
  const inner: JournalEntry[] =
    machine === 'hookProcess' || machine === 'hookEvent' || machine === 'answerStream'
      ? []
      : [
          started('hookEvent', 'event', 'BeforeTool', fields, { plan, parent: 'run' }),
          started('hookProcess', 'process', 'guard', fields, { parent: 'event' }),
          ...(['moved', 'answered', 'ended'] as const).map((kind) => cases[kind]('process')),
          cases.verdict('event'),
          cases.ended('event'),
        ];
  const own = [cases.moved('run'), ...(machine === 'toolCall' ? [] : [cases.answered('run')]), cases.verdict('run')]; // prettier-ignore
  const ends = begun.toReversed().map((entry) => cases.ended((entry as { id: string }).id));
  return [machine, [header, cases.warned('run'), ...begun, ...inner, ...own, ...ends]] as const;
});

test.each(recordings)(
  'every kind of entry about a run of %s survives writing, reading, explaining, inspecting, replaying and backtesting',
  async (_, entries) => {
    const box = sandbox();
    const guards = box.write(box.own.user, { hooks: { 'tool.before': [{ hooks: [{ type: 'command', command: 'exit 0' }] }] } }); // prettier-ignore
    const file = box.write('r.jsonl', `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`); // prettier-ignore
    const read: unknown[] = [];
    for await (const entry of readRecording(file)) read.push(entry);
    expect(read).toEqual(entries);

    const calls: CallAccount[] = [];
    for await (const call of accounts(readRecording(file))) calls.push(call);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.status).toBe('done');
    expect(explain(calls[0]!).join('\n')).not.toContain('undefined');
    const asCalls = async function* () {
      yield* calls;
    };
    expect(await hookStats(asCalls())).toBeInstanceOf(Array);

    const run = (...args: readonly string[]) => inProcess(box, args);
    const explained = await run('explain', file, '1');
    expect([explained.exitCode, explained.stderr]).toEqual([0, '']);
    expect(JSON.parse((await run('explain', file, '1', '--json')).stdout)).toBeTruthy();
    const reported = await run('report', file, '-o', `${box.folder}/r.html`);
    expect(reported.exitCode).toBe(0);
    const page = readFileSync(`${box.folder}/r.html`, 'utf8');
    // Steps are packed on their way to a page.
    expect(page).toContain('b.c');
    for (const entry of entries.slice(1).filter(({ kind }) => kind !== 'moved'))
      expect(page).toContain(JSON.stringify(entry).replaceAll('<', String.raw`\u003c`));
    const replayed = await run('replay', file, '1');
    expect(replayed.stderr).not.toMatch(/undefined|TypeError|is not a journal entry/);
    const tested = await run('backtest', guards, '--on', file, '--json');
    expect(tested.stderr).not.toMatch(/undefined|TypeError|is not a journal entry/);
    expect([0, 2], tested.stderr).toContain(tested.exitCode);
  },
);
