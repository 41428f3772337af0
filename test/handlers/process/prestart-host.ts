/** A separate host that has a hook waiting, prints its pid, and ends or stays. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prestart } from '../../../src/handlers/process/ahead/waiting-hooks.ts';
import { inputFor } from './run-hook.ts';

const cwd = mkdtempSync(join(tmpdir(), 'hookmachine-prestart-'));
const { command } = inputFor('echo $$ > started; trap : TERM HUP; cat; sleep 100', { cwd });
await prestart({ ...command, prestart: true });
let pid = '';
while (pid === '') {
  await sleep(5);
  try {
    pid = readFileSync(join(cwd, 'started'), 'utf8');
  } catch {
    // It is still starting.
  }
}
rmSync(cwd, { recursive: true });
process.stdout.write(pid);
if (process.argv[2] !== 'exit') setInterval(() => undefined, 1000);
