import type { Command } from 'commander';
import { guardedIn } from '../../hosts/guarded/find-guarded.ts';
import { explainCommand } from '../../guards/explain-command.ts';
import { allRules, guardOf } from '../../guards/rules/all.ts';
import type { Rule } from '../../guards/rules/rule.ts';
import { folderToWorkIn } from '../parts/project-folder.ts';
import { printable, printableJson } from '../parts/printable.ts';

interface Options {
  readonly cwd: string;
}

/** `hookmachine guards`: the rules of the guards that come with hookmachine, and what they say of a command. */
export function addGuards(program: Command): void {
  const guards = program
    .command('guards')
    .description('list the rules of the built-in guards, or explain what they say of a command')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Settings switch guards on: "guards": { "shell": "on", "git": "on", "secrets": "on", "infrastructure": "ask" }

Example:
  hookmachine guards
  hookmachine guards explain 'git push --force origin main'`,
    )
    .action(({ json }: { readonly json?: true }) => {
      process.stdout.write(json ? `${printableJson(allRules)}\n` : printable(rulesText()));
    });
  guards
    .command('explain')
    .argument('<command>', 'a shell command; quote it')
    .description('show how a command is understood, and which rules speak')
    .option('--cwd <folder>', 'the folder that it would run in', '.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Nothing is run. The exit status is 0 if nothing speaks, 2 for a denial and 3 for a question.`,
    )
    .action(async (command: string, { cwd }: Options, { parent }: Command) => {
      // An option of both commands is read by the outer one.
      const isJson = parent?.opts<{ readonly json?: true }>().json === true;
      await explain(command, folderToWorkIn(cwd), isJson);
    });
}

function rulesText(): string {
  const lines: string[] = [];
  let guard = '';
  for (const rule of allRules) {
    if (guardOf(rule.id) !== guard) {
      guard = guardOf(rule.id);
      lines.push(`${lines.length > 0 ? '\n' : ''}${guard}`);
    }
    lines.push(...ruleLines(rule));
  }
  return `${lines.join('\n')}\n`;
}

const ruleLines = ({ id, answer, about, why, instead, catches, lets }: Rule): string[] => [
  `  ${id}  (${answer === 'deny' ? 'denied' : 'asked about'})`,
  `    ${about}`,
  `    why      ${why}`,
  ...(instead === undefined ? [] : [`    instead  ${instead}`]),
  `    catches  ${catches}`,
  `    lets     ${lets}`,
];

async function explain(command: string, cwd: string, json: boolean): Promise<void> {
  const { answer, effects, findings } = await explainCommand(command, cwd, guardedIn(cwd));
  process.exitCode = { deny: 2, ask: 3, allow: 0 }[answer];
  const lines = [
    'What it would do',
    ...effects.map((line) => `  ${line}`),
    '',
    verdicts[answer],
    ...findings.map(({ text }) => `  ${text}`),
    '',
  ];
  const text = json
    ? `${printableJson({ command, answer, effects, findings })}\n`
    : lines.join('\n');
  process.stdout.write(json ? text : printable(text));
}

const verdicts = {
  deny: 'It would be denied.',
  ask: 'It would be asked about, and denied where nobody can be asked.',
  allow: 'No rule speaks: it would be let through.',
} as const;
