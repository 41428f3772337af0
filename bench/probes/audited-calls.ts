import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { loadEngine } from '../engine.ts';
import { toolInput } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';

const result = { llmContent: 'ok', returnDisplay: 'ok' };
const hook = { type: 'command', command: `cat >/dev/null; echo '{"reason":"1"}'` };

/** A collector in a separate process, which prints its port. */
const collector = `require('node:http').createServer((request, response) => request.resume().on('end', () => response.end('{}'))).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;

type Call = () => Promise<void>;
type Calls = Readonly<Record<'off' | 'audited' | 'traced', Call>>;

/**
 * Measures a tool call with one hook and one without hooks: not audited, audited, audited and traced; in µs,
 * taking turns.
 */
export async function auditedCalls(rounds: number): Promise<Record<string, number>> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'audited-')));
  const server = spawn(process.execPath, ['-e', collector], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const endpoint = `http://127.0.0.1:${await portOf(server)}`;
    const audits = {
      off: undefined,
      audited: { file: join(folder, 'audited.jsonl') },
      traced: { file: join(folder, 'traced.jsonl'), opentelemetry: { endpoint } },
    };
    const calls = async (name: string, hooks: object): Promise<Calls> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(audits).map(async ([kind, audit]) => [
            kind,
            await callWith(join(folder, `${name}-${kind}`), {
              hooks,
              ...(audit && { managed: { audit } }),
            }),
          ]),
        ),
      ) as Calls;
    const guarded = await calls('one', { BeforeTool: [{ hooks: [hook] }] });
    const plain = await calls('none', {});
    return {
      ...named('one', await taken(guarded, { rounds: rounds * 5, times: 1 })),
      ...named('none', await taken(plain, { rounds, times: 200 })),
    };
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

async function portOf(server: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  return port.toString().trim();
}

const execute = async () => result;

/** Creates a call on a machine with these administrator's settings. */
async function callWith(folder: string, settings: object): Promise<Call> {
  const { createConfig, executeToolWithHooks } = await loadEngine();
  const file = join(folder, 'etc', 'hookmachine', 'settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  const config = createConfig({ cwd: folder, systemFolder: join(folder, 'etc') });
  return async () => {
    const { llmContent } = await executeToolWithHooks(config, 'write_file', toolInput, execute);
    if (llmContent !== 'ok') throw new Error('the tool has not run');
  };
}

interface Effort {
  readonly rounds: number;
  /** How many calls of one kind follow each other. */
  readonly times: number;
}

type Taken = Readonly<Record<keyof Calls, readonly number[]>>;

async function taken(calls: Calls, { rounds, times }: Effort): Promise<Taken> {
  const kinds = Object.keys(calls) as (keyof Calls)[];
  const all = { off: [] as number[], audited: [] as number[], traced: [] as number[] };
  // V8 compiles in the first rounds.
  const warmUp = Math.ceil(rounds / 4);
  for (let round = 0; round < warmUp + rounds; round++)
    for (let turn = 0; turn < kinds.length; turn++) {
      const kind = kinds[(round + turn) % kinds.length]!;
      const startedAt = performance.now();
      for (let index = 0; index < times; index++) await calls[kind]();
      if (round >= warmUp) all[kind].push(((performance.now() - startedAt) * 1_000) / times);
      // What waits to be sent is sent between the calls.
      await pause(0);
    }
  return all;
}

function named(name: string, { off, audited, traced }: Taken): Record<string, number> {
  const ratios = off.map((time, round) => traced[round]! / time);
  const more = off.map((time, round) => traced[round]! - time);
  const numbers = {
    off: median(off),
    audited: median(audited),
    traced: median(traced),
    more: median(more),
    ratio: median(ratios),
    low: quantile(ratios, 0.1),
    high: quantile(ratios, 0.9),
  };
  return Object.fromEntries(
    Object.entries(numbers).map(([what, value]) => [`${name}-${what}`, value]),
  );
}
