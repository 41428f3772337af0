import { availableParallelism } from 'node:os';
import { generated, written } from './proof/corpus.ts';
import { labelOf, type Label } from './proof/label.ts';
import { Sandboxes, whyNoSandbox, type Judged } from './proof/sandbox.ts';

/*
 * Proves the guards by execution: each command of the corpus is run in a throwaway sandbox, what it did there is
 * its label, and what the guards say of it beforehand is compared with that.
 */

const refused = whyNoSandbox();
if (refused !== undefined) {
  process.stderr.write(
    `This machine makes no sandboxes (${refused}), so the guards were NOT proved here.\n`,
  );
  process.exit(process.env['CI'] ? 0 : 1);
}
const commands = [...new Set([...written, ...generated()])];
const sandboxes = new Sandboxes();
const labels = new Map<string, Label>();
let judged: readonly Judged[];
try {
  judged = await sandboxes.judge(commands);
  const before = await sandboxes.run(':');
  const left = [...commands];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let command = left.shift(); command !== undefined; command = left.shift())
        labels.set(command, labelOf(await sandboxes.run(command), before));
    }),
  );
} finally {
  sandboxes.end();
}

const rows = judged.map((one) => ({ ...one, label: labels.get(one.command)! }));
const share = (part: readonly unknown[], whole: readonly unknown[]): string =>
  `${part.length} of ${whole.length} (${((part.length / Math.max(whole.length, 1)) * 100).toFixed(1)} %)`;
const of = (is: Label['is']) => rows.filter(({ label }) => label.is === is);
const failed = of('failed').length;
const [catastrophic, dangerous, harmless] = [of('catastrophic'), of('dangerous'), of('harmless')];
const missed = [...catastrophic, ...dangerous].filter(({ answer }) => answer === 'allow');
const denied = harmless.filter(({ answer }) => answer === 'deny');
const asked = harmless.filter(({ answer }) => answer === 'ask');
const times = rows.map(({ ms }) => ms).toSorted((a, b) => a - b);
const at = (part: number): string => times[Math.floor((times.length - 1) * part)]!.toFixed(2);
process.stdout.write(
  [
    `${rows.length} commands, each run in a sandbox of its own; ${failed} of them failed there, which proves nothing`,
    `catastrophic and let through  ${share(
      catastrophic.filter(({ answer }) => answer === 'allow'),
      catastrophic,
    )}`,
    `dangerous and let through     ${share(
      dangerous.filter(({ answer }) => answer === 'allow'),
      dangerous,
    )}`,
    `harmless and denied           ${share(denied, harmless)}`,
    `harmless and asked about      ${share(asked, harmless)}`,
    `time of a judgement, in ms    median ${at(0.5)}, 99th percentile ${at(0.99)}`,
    ...missed.map(({ command, label }) => `let through: ${command}\n    it ${label.because}`),
    ...[...denied, ...asked].map(
      ({ command, answer, rules }) =>
        `${answer} although harmless: ${command}\n    ${rules.join(', ')}`,
    ),
    '',
  ].join('\n'),
);
process.exitCode =
  catastrophic.some(({ answer }) => answer === 'allow') ||
  missed.length > dangerous.length * 0.05 ||
  denied.length > harmless.length * 0.01 ||
  asked.length > harmless.length * 0.02
    ? 1
    : 0;
