import { followArgument, followScripts } from './arguments.ts';
import type { Following } from './following.ts';
import { followRecipes } from './recipes.ts';
import { followScriptsOfPackage, programOfPackage } from './packages.ts';
import { literally, quote, type ExpandedWord } from './expanded-word.ts';
import { tools, type Tool } from './tools.ts';

/**
 * Follows a program that files of the project tell what to run: those files count, and what the command line
 * itself names, but not the sources that it works on.
 */
export function followTool(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const { findings, places } = at;
  const tool = tools[name]!;
  findings.lost(`${quote(name)} runs what the project's files tell it to`);
  const folders = [...places.folders, ...foldersIn(at, args)];
  findings.ruledBy(tool.manifests, folders);
  findings.ruledByExisting(tool.locks ?? [], folders);
  if (tool.hasRecipes) followRecipes(at, tool.manifests, folders, args);
  if (tool.isOfPackages) followScriptsOfPackage(at, folders, args);
  const program = programIn(tool, args);
  followOperands(at, tool, args.slice(0, args.length - program.length));
  if (program.length === 0) return;
  const [own] = literally(program[0]!) ?? [];
  const bin = own === undefined ? undefined : tool.isOfPackages ? programOfPackage(own) : own;
  if (bin === undefined || bin === '') return followScripts(at, program);
  if (tool.isOfPackages) findings.ruledBy([`node_modules/.bin/${bin}`], folders);
  else findings.ruledByExisting([`.venv/bin/${bin}`], folders);
  followArgument(at, program[0]!, 'named');
  if (bin !== name) at.program(bin, program.slice(1));
}

/** Folders that a command line names may be where the tool is to work. */
const foldersIn = ({ places }: Following, args: readonly ExpandedWord[]): string[] =>
  args
    .flatMap((argument) => literally(argument) ?? [])
    .map((text) => text.slice(text.indexOf('=') + 1))
    .filter((text) => text !== '' && !text.startsWith('-'))
    .flatMap((text) => places.pathsOf(text))
    .filter((path) => places.disk.isFolder(path) && places.disk.isInProject(path));

/** What a tool for sources is given are sources, except where an option names a file to load. */
function followOperands(at: Following, tool: Tool, args: readonly ExpandedWord[]): void {
  const isForSources = tool.isForSources || args[0]?.written === 'test';
  for (const [index, argument] of args.entries()) {
    const [text = ''] = literally(argument) ?? [];
    const [before = ''] = (args[index - 1] && literally(args[index - 1]!)) ?? [];
    if (!isForSources || loads.test(before) || /^--[\w-]+=/.test(text))
      followArgument(at, argument, 'named');
  }
}

/** Matches options whose value is a file that says what is done. */
const loads = /^(?:-[cfpr]|--(?:[\w-]*config[\w-]*|project|plugin|parser|rulesdir|rcfile|require|import|loader|manifest-path))$/; // prettier-ignore

/** Returns the program that a tool is given to run, with its arguments. */
function programIn(
  { runsAfter = [] }: Tool,
  args: readonly ExpandedWord[],
): readonly ExpandedWord[] {
  let rest = args;
  if (!runsAfter.includes('')) {
    const after = args.findIndex(({ written }) => runsAfter.includes(written));
    if (after === -1) return [];
    rest = args.slice(after + 1);
  }
  for (let index = 0; index < rest.length; index++)
    if (takesValue.test(rest[index]!.written)) index++;
    else if (!rest[index]!.written.startsWith('-')) return rest.slice(index);
  return [];
}

/** Matches options of the programs that run others that have a value. */
const takesValue =
  /^(?:-[pwC]|--(?:package|workspace|prefix|filter|with|from|python|project|directory|cwd))$/;
