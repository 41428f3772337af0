import type { Command } from 'commander';
import { checkHooks, measureHooks } from '../../workbench/check/check-hooks.ts';
import { type CheckProblem, ofSettings } from '../../workbench/check/check-problem.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { agentProblems } from '../../hosts/added/load-agents.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { durableSettings } from '../../durable/settings.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { lookAtHooks } from '../../workbench/parts/look-at-hooks.ts';
import { type Annotation, annotations, fromHere } from '../parts/annotate.ts';
import { type Colours, painted } from '../parts/paint.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly cwd: string;
  readonly dialects?: readonly Dialect[];
  readonly tool: readonly string[];
  readonly trust?: true;
  readonly measure?: true;
  readonly json?: true;
}

/** `hookmachine check`: whether all configured hooks can do their job. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .description('validate the configured hooks without running them')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option(...dialectsOption)
    .option(
      '--tool <name>',
      'a tool of your own that matchers may name; may be given several times',
      (name: string, names: readonly string[]) => [...names, name],
      [] as readonly string[],
    )
    .option(
      '--trust',
      "do not report the project's hooks as untrusted (for CI: HOOKMACHINE_TRUST=1)",
    )
    .option(
      '--measure',
      'run each trusted command on a sample event, to see whether it would benefit from "prestart"',
    )
    .option('--json', 'print JSON: a list of file, place, code, message and fix')
    .addHelpText(
      'after',
      '\nExit status: 0 nothing is wrong, 1 something is wrong or could not be checked.',
    )
    .action(async ({ cwd, dialects = presentDialects, tool, trust, measure, json }: Options) => {
      const folder = projectFolder(cwd);
      const found = await lookAtHooks(folder, dialects, trust);
      const problems = [
        ...(await checkHooks({ ...found, folder }, tool)),
        ...agentProblems.map(ofSettings),
        ...durableSettings({ project: folder }).problems.map(ofSettings),
        ...(measure ? await measureHooks({ ...found, folder }) : []),
      ];
      process.stdout.write(
        json
          ? `${printableJson(problems, 2)}\n`
          : painted(describe(problems, found.hooks.length), colours) +
              annotations(problems.map(annotationOf)),
      );
      process.exitCode = problems.length > 0 ? 1 : 0;
    });
}

const colours: Colours = [
  [/^Nothing is wrong/, 'green'],
  [/^\d+ problems? in /, 'red'],
  [/^\S/, 'bold'],
];

/** Returns one line for each problem, grouped by file. */
function describe(problems: readonly CheckProblem[], hookCount: number): string {
  const count = counted(hookCount, 'hook');
  if (problems.length === 0)
    return hookCount === 0 ? 'No hooks are configured.\n' : `Nothing is wrong with ${count}.\n`;
  const lines = [...new Set(problems.map(({ file }) => file))].flatMap((file) => [
    file ?? 'In no file',
    ...problems.filter((problem) => problem.file === file).map(lineOf),
    '',
  ]);
  const total = `${counted(problems.length, 'problem')} in ${count}.`;
  return `${[...lines, total].map((line) => printable(line.replaceAll('\n', String.raw`\n`))).join('\n')}\n`;
}

const annotationOf = ({
  file,
  line,
  column,
  place,
  message,
  fix,
  code,
}: CheckProblem): Annotation => ({
  level: 'error',
  file: file === undefined ? undefined : fromHere(file),
  line,
  column,
  title: `hookmachine check: ${code}`,
  message: `${place === '' ? '' : `${place}: `}${message}; ${fix}`,
});

function lineOf({ line, column, place, message, fix, code }: CheckProblem): string {
  const at = line === undefined ? '' : `${line}:${column} `;
  return `  ${at}${place === '' ? '' : `${place}: `}${message}; ${fix}  [${code}]`;
}
