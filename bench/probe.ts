/**
 * The process of one probe of our engine: `node probe.js NAME [ARGUMENTS]` prints its numbers as JSON on
 * stdout.
 */
import { auditedCalls } from './probes/audited-calls.ts';
import { liveCalls } from './probes/live-calls.ts';
import { scale, type Load } from './probes/scale.ts';
import { syncCheck } from './probes/sync-check.ts';
import { toolCalls } from './probes/tool-calls.ts';

const probes: Readonly<
  Record<string, (...args: readonly string[]) => Promise<Record<string, number>>>
> = {
  'audited-calls': (rounds) => auditedCalls(Number(rounds)),
  'sync-check': syncCheck,
  'live-calls': (count) => liveCalls(Number(count)),
  'tool-calls': (rounds) => toolCalls(Number(rounds)),
  scale: (load, count) => scale(load as Load, Number(count)),
};

// As large as the contestants' processes.
await import('@google/gemini-cli-core');
const [name = '', ...args] = process.argv.slice(2);
const numbers = await probes[name]!(...args);
// Calls that never end may keep the process alive.
process.stdout.write(`${JSON.stringify(numbers)}\n`, () => process.exit());
