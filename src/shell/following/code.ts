import { followArgument, followScripts } from './arguments.ts';
import type { Following } from './following.ts';
import { harmlessInline, shells } from './known-programs.ts';
import { literally, quote, type ExpandedWord } from './expanded-word.ts';

/** Follows words that together form shell code. */
export function followEvaluated(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const texts = args.map(literally);
  if (texts.every((found) => found?.length === 1))
    return at.code(texts.map((found) => found![0]).join(' '));
  at.findings.runs(`what ${quote(name)} is given is not literal`);
  followScripts(at, args);
  return undefined;
}

/** Follows a script that is passed to an interpreter. */
export function followScript(at: Following, script: ExpandedWord, runner: string): void {
  const texts = literally(script);
  const isOfShell = shells.has(runner) || runner === '.' || runner === 'source';
  // The interpreter's own input under a file name.
  if (texts?.some((text) => /^\/(?:dev|proc)\//.test(text))) {
    at.findings.runs(`${quote(`${runner} ${script.written}`)} runs what it reads from its input`);
    followInput(at, runner, isOfShell);
  } else if (texts?.length === 1) at.findings.starts(texts[0]!, runner);
  if (texts === undefined) {
    at.findings.runs(`which script ${quote(`${runner} ${script.written}`)} runs is not literal`);
    for (const pattern of script.meant.patterns) at.findings.selects(pattern);
  }
  followArgument(at, script, 'script');
  const isSourced = runner === '.' || runner === 'source';
  const isRead = isOfShell && (texts ?? []).some((text) => at.script(text, isSourced));
  if (isSourced && !isRead) at.findings.definesUnknown = true;
}

/** Follows a script that the shell itself reads: it may change the value of any name. */
export function followSourced(at: Following, name: string, args: readonly ExpandedWord[]): void {
  const [script, ...rest] = args;
  if (script) followScript(at, script, name);
  followScripts(at, rest);
  at.variables.forgetMost();
}

/** Follows an interpreter without a script, which runs its input. */
export function followInput(at: Following, name: string, isShell: boolean): void {
  const { input } = at;
  if (input?.from === 'file') return undefined;
  if (input?.from === 'pipe' && input.files) {
    for (const file of input.files) at.findings.names(file, 'script');
    return undefined;
  }
  const text = input?.text;
  if (text !== undefined && isShell) return at.code(text);
  if (text !== undefined && harmlessInline.test(text.slice(0, 4_000))) return undefined;
  at.findings.runs(`${quote(name)} runs what it reads from its input`);
  if (text !== undefined) at.findings.names(text, 'maybe');
  return undefined;
}
