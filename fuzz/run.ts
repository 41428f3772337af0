import { describeBroken, fuzz } from './fuzz.ts';
import { targets } from './targets/index.ts';

/*
 * npm run fuzz [seconds per target] [target …]
 *
 * Fuzzes each target for a minute, or as long as told, and adds inputs that made new code run to the
 * corpus. Ends with 1 at the first input that breaks a target. FUZZ_SEED repeats the dice of a run.
 */
const [seconds = '60', ...names] = process.argv.slice(2);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now());
const chosen = targets.filter(({ name }) => names.length === 0 || names.includes(name));
if (!(Number(seconds) > 0) || chosen.length === 0) {
  console.error(`usage: npm run fuzz [seconds] [${targets.map(({ name }) => name).join(' | ')}]`);
  process.exit(1);
}
console.log(`seed ${seed}`);
for (const target of chosen) {
  const milliseconds = Number(seconds) * 1_000;
  const { tried, covered, kept, broken } = await fuzz(target, { milliseconds, seed, grow: true });
  console.log(
    `${target.name}: ${tried} inputs, ${covered} parts of the code ran, ${kept} inputs kept`,
  );
  if (broken) {
    console.error(describeBroken(target, broken));
    process.exitCode = 1;
  }
}
