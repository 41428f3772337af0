/** Makes a great many calls in a separate host, and kills hosts in the middle of theirs. */
import { parseArgs } from 'node:util';
import { brokenClaims } from './claims.ts';
import { killHosts } from './kills.ts';
import { printHead, printKills, printMixture, printRun, printSlice } from './report.ts';
import { runLoad } from './run-load.ts';

const usage = 'usage: npm run load [-- --calls N] [--at-once N] [--kills N] [--seed N]';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    'at-once': { type: 'string', default: '16' },
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const [calls, atOnce, kills, seed] = [
  values.calls,
  values['at-once'],
  values.kills,
  values.seed,
].map(Number) as [number, number, number, number];
if (![calls, atOnce, kills, seed].every(Number.isInteger) || calls < 1_000 || atOnce < 1) {
  process.stderr.write(`${usage}\n--calls must be at least 1,000.\n`);
  process.exit(1);
}

printMixture();
for (const plain of [true, false]) {
  printHead(plain ? 'Each hook started with its event' : 'Hooks that read first started ahead');
  let before = 0;
  const run = await runLoad({ calls, atOnce, seed, plain }, (slice) => {
    printSlice(slice, before);
    before = slice.calls;
  });
  const broken = brokenClaims(run, plain);
  printRun(run, broken);
  if (broken.length > 0) process.exitCode = 1;
}
const killed = await killHosts({ kills, atOnce, seed });
printKills(killed, killed.broken);
if (killed.broken.length > 0) process.exitCode = 1;
process.stdout.write(process.exitCode ? '\nNot all claims were kept.\n' : '\nFlat.\n');
