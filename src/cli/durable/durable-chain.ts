import type { Command } from 'commander';
import { counted } from '../../base/counted.ts';
import { withRecords } from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';

/** `hookmachine durable seal` and `verify`: whether what was recorded is still what was recorded. */
export function addChain(durable: Command): void {
  durable
    .command('seal')
    .description('add the calls that have ended to a chain of digests; a hub does so by itself')
    .action(() =>
      withRecords(async (records) => {
        print(`${counted(await records.seal(), 'call')} sealed\n`);
      }),
    );
  durable
    .command('verify')
    .description(
      'check that nothing that was sealed, and no record that machines sent, was changed',
    )
    .option('--expect <digest>', 'a digest that was kept elsewhere, which must be in the chain')
    .option('--json', 'as one JSON object')
    .action(verify);
}

interface VerifyOptions {
  readonly expect?: string;
  readonly json?: true;
}

const changes = {
  'entry-changed': 'it, or what came before it, was changed',
  'call-changed': 'what was done for the call was changed afterwards',
  'call-missing': 'the call is gone',
} as const;

const verify = ({ expect, json }: VerifyOptions): Promise<void> =>
  withRecords(async (records) => {
    const found = await records.verify(expect);
    const { entries, digest, problems, isExpected } = found;
    if (problems.length > 0 || !isExpected) process.exitCode = 1;
    if (json) return print(`${printableJson(found, 2)}\n`);
    print(
      printable(
        [
          ...problems.map(
            ({ entry, kind, subject, problem }) =>
              `entry ${entry} (${kind} ${subject}): ${changes[problem]}`,
          ),
          ...(isExpected ? [] : [`the digest ${expect} is not in the chain: it was made anew`]),
          `${counted(entries, 'entry', 'entries')}, ${problems.length === 0 ? 'unchanged' : counted(problems.length, 'problem')}; the last digest is ${digest}`,
          '',
        ].join('\n'),
      ),
    );
  });
