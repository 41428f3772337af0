import { spawnSync } from 'node:child_process';
import { describeBroken, fuzz } from './fuzz.ts';
import { targets } from './targets/index.ts';

/*
 * npm run fuzz [seconds per target] [target …]
 *
 * Fuzzes each target for a minute, or as long as requested, and adds inputs that made new code run to the
 * corpus. The target `properties` tries each property of test/properties/ with a hundred times as many cases
 * as `npm test`, however long that takes. Exits with 1 if an input breaks a target or a case breaks a
 * property. FUZZ_SEED repeats the random numbers of a run, SEED those of the properties.
 */
const [seconds = '60', ...names] = process.argv.slice(2);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now());
const isChosen = (name: string): boolean => names.length === 0 || names.includes(name);
const all = [...targets.map(({ name }) => name), 'properties'];
if (!(Number(seconds) > 0) || !names.every((name) => all.includes(name))) {
  console.error(`usage: npm run fuzz [seconds] [${all.join(' | ')}]`);
  process.exit(1);
}
console.log(`seed ${seed}`);
for (const target of targets.filter(({ name }) => isChosen(name))) {
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
if (isChosen('properties')) {
  const { status } = spawnSync('npx', ['vitest', 'run', 'test/properties', '--testTimeout=0'], {
    env: { ...process.env, PROPERTY_TIMES: '100' },
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
