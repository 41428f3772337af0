import { setTimeout as pause } from 'node:timers/promises';
import type { Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { systemWith } from '../matrix/run-as.ts';
import { sampleFields } from '../matrix/sample-fields.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';

/** The least gain worth reporting, in ms: nobody notices less. */
const leastGain = 10;

/** How often a hook is run each way; the first run of each does not count. */
const runs = 4;

/**
 * Reports a hook that would answer sooner if it were started ahead of its event, found by running it both
 * ways on a sample event, a second apart. Both ways must give the same answer.
 */
export async function wouldGain(
  hook: RegisteredHook,
  dialect: Dialect,
  cwd: string,
): Promise<CheckProblem[]> {
  const { type, prestart, async: isUnawaited, event } = hook;
  const fields = sampleFields(event);
  // Only our own settings and LLxprt's have an option for it.
  if (type !== 'command' || prestart || isUnawaited || !dialect.settings || !fields) return [];
  const call = await dialect.readCall(event, fields);
  if ('faults' in call) return [];
  const { matcher: _, if: __, once: ___, ...always } = hook;
  const plain = await timesOf(always, dialect, call, cwd);
  const ahead = await timesOf({ ...always, prestart: true }, dialect, call, cwd);
  if (plain.answers !== ahead.answers) return [];
  const isWorthIt = plain.ms - ahead.ms >= leastGain && ahead.ms <= 0.7 * plain.ms;
  if (!isWorthIt) return [];
  return [
    ofHook(
      hook,
      'prestart',
      `took ${Math.round(plain.ms)} ms on a sample event, and ${Math.round(ahead.ms)} ms when it was started ahead of the event`,
      `write "prestart": true, if it does nothing before it has read its input; ${withoutProcess(hook)}`,
    ),
  ];
}

/** How the hook could do without a process for each event. */
const withoutProcess = ({ command, args = [] }: RegisteredHook): string =>
  /\b(?:node|tsx|bun)\b|\.[cm]?[jt]sx?\b/.test([command, ...args].join(' '))
    ? 'as a "module" it would need no process at all'
    : 'as "live" it would stay and answer one event after the other';

/** Returns the median time, and the answers of all runs. */
async function timesOf(
  hook: RegisteredHook,
  dialect: Dialect,
  { fields, context }: ReadCall,
  cwd: string,
): Promise<{ readonly ms: number; readonly answers: string }> {
  const system = systemWith(dialect, hook, cwd);
  await system.initialize();
  const answers = new Set<string>();
  const times: number[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      if (run > 0) await pause(1_000);
      const startedAt = performance.now();
      const { results } = await system.getEventHandler().fire(hook.event, fields, context);
      times.push(performance.now() - startedAt);
      for (const { exitCode, stdout } of results) answers.add(JSON.stringify([exitCode, stdout]));
    }
  } finally {
    system.dispose();
  }
  const counted = times.slice(1).toSorted((one, other) => one - other);
  return { ms: counted[Math.floor(counted.length / 2)]!, answers: [...answers].join('\n') };
}
