import type { Command } from 'commander';
import { dayOf, entriesOf, knownDays, type UsageEntry } from '../../guards/budget/ledger.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { print } from '../parts/print.ts';
import { printable } from '../parts/printable.ts';
import { sumOf, usageLine } from './usage-line.ts';

interface UsageOptions {
  readonly days: string;
  readonly by: string;
  readonly json?: true;
}

const groupings = {
  day: ({ at }: UsageEntry) => dayOf(new Date(at)),
  model: ({ model }: UsageEntry) => model,
  session: ({ session }: UsageEntry) => session,
} as const;

/** `hookmachine usage`: what model calls used. */
export function addUsage(program: Command): void {
  program
    .command('usage')
    .description(
      'show what model calls used: those of the gateway, and those that were read in transcripts',
    )
    .option('--days <n>', 'how many days, today included', '1')
    .option('--by <what>', 'day, model or session', 'model')
    .option('--json', 'print every call as one JSON array')
    .addHelpText(
      'after',
      `
Budgets in .hookmachine/settings.json count the same calls:
  { "budget": { "session": "$2", "day": "$20", "perModel": { "claude-opus-*": "$10" } } }

Example:
  hookmachine usage --days 7 --by day`,
    )
    .action((options: UsageOptions) => show(options));
}

function show({ days, by, json }: UsageOptions): void {
  const count = Number(days);
  if (!/^\d+$/.test(days) || count < 1)
    throw new CommandFailure(`--days ${days}: give a whole number of days`);
  if (!Object.hasOwn(groupings, by))
    throw new CommandFailure(`--by ${by}: use ${Object.keys(groupings).join(', ')}`);
  const first = dayOf(new Date(Date.now() - (count - 1) * 24 * 60 * 60_000));
  const entries = knownDays()
    .filter((day) => day >= first)
    .flatMap((day) => entriesOf(day));
  if (json) return print(`${JSON.stringify(entries)}\n`);
  if (entries.length === 0)
    return print('No model calls are known: start an agent with "hookmachine gateway -- AGENT".\n');
  const groupOf = groupings[by as keyof typeof groupings];
  const groups = new Map<string, UsageEntry[]>();
  for (const entry of entries) {
    const name = groupOf(entry);
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  const lines = [...groups]
    .toSorted(([, one], [, other]) => sumOf(other).tokens - sumOf(one).tokens)
    .map(([name, group]) => `${name}: ${usageLine(group)}`);
  print(printable(`${lines.join('\n')}\n${groups.size > 1 ? `All: ${usageLine(entries)}\n` : ''}`));
}
