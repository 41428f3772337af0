import { join, relative } from 'node:path';
import { matchesPath, matchesText } from '../../base/globs.ts';
import { wholePath } from '../../base/folders.ts';
import { userHome } from '../../base/surroundings.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A permission rule: a tool, and which of its calls. */
export interface Rule {
  readonly tool: string;
  /** The text in brackets; absent if the rule covers every call. */
  readonly what?: string;
}

/** Parses a permission rule from a hook's `if`; undefined if the text is not a rule. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, what] = /^([\w*-]+)(?:\(([^]*)\))?$/.exec(text.trim()) ?? [];
  const isSeveral = /\)\s*[|,]\s*\w+\(/.test(what ?? '');
  if (tool === undefined || isSeveral) return undefined;
  return what === undefined || ['', '*'].includes(what.trim())
    ? { tool }
    : { tool, what: what.trim() };
}

/** A tool call in Claude Code's form. */
export interface RuledCall {
  /** Its names for the tool, the one on stdin first, and ours. */
  readonly names: readonly string[];
  readonly input: Fields;
  readonly cwd: string;
}

/** Splits a shell command into the commands in it; undefined if it cannot be parsed. */
export type SubCommands = (text: string) => readonly string[] | undefined;

/** Whether a rule applies to a call. If that cannot be known, it does. */
function ruleFits(
  { tool, what }: Rule,
  call: RuledCall,
  subCommands: SubCommands | undefined,
): boolean {
  const { names } = call;
  if (!names.some((name) => nameFits(tool, name))) return false;
  if (what === undefined) return true;
  switch (names[0]) {
    case 'Bash':
      return commandFits(what, call.input['command'], subCommands);
    case 'Read':
    case 'Write':
    case 'Edit':
    case 'NotebookEdit':
    case 'Glob':
    case 'Grep':
    case 'LS':
      return pathFits(what, call);
    case 'WebFetch':
      return domainFits(what, call.input['url']);
    case 'Agent':
      return [undefined, what].includes(call.input['subagent_type'] as string | undefined);
    default:
      return true;
  }
}

/** Whether a rule applies to the call of an event; it does if that is unknown or the rule is not valid. */
export function ruleAppliesTo(
  rule: string,
  call: RuledCall | undefined,
  subCommands: SubCommands | undefined,
): boolean {
  const parsed = parseRule(rule);
  return parsed === undefined || call === undefined || ruleFits(parsed, call, subCommands);
}

/** `mcp__server` matches all tools of the server. */
const nameFits = (rule: string, name: string): boolean =>
  matchesText(rule, name) || (rule.startsWith('mcp__') && name.startsWith(`${rule}__`));

function commandFits(
  what: string,
  command: unknown,
  subCommands: SubCommands | undefined,
): boolean {
  if (typeof command !== 'string' || subCommands === undefined) return true;
  const parts = subCommands(command);
  return parts === undefined || [command.trim(), ...parts].some((part) => partFits(what, part));
}

/** `x *` and `x:*` match `x` followed by anything or nothing; any other `*` stands for any text. */
function partFits(what: string, part: string): boolean {
  const prefix = /^([^*]*?)(?::\*| \*)$/.exec(what)?.[1]?.trimEnd();
  if (prefix === undefined) return matchesText(what, part);
  return part.startsWith(prefix) && /^(?:\s|$)/.test(part.slice(prefix.length));
}

/**
 * A path pattern as in `.gitignore`: below the project, absolute with `//`, in the home folder with
 * `~/`; a name alone matches anywhere.
 */
function pathFits(what: string, { input, cwd }: RuledCall): boolean {
  const path = input['file_path'] ?? input['notebook_path'] ?? input['path'];
  if (typeof path !== 'string') return true;
  const whole = wholePath(path, cwd);
  if (what.startsWith('//')) return matchesPath(what, whole);
  if (what.startsWith('~/')) return matchesPath(join(userHome(), what.slice(2)), whole);
  const inside = relative(cwd, whole);
  const pattern = what.replace(/^\.?\//, '');
  const isName = !what.replace(/\/$/, '').includes('/');
  return [inside, whole, ...(isName ? inside.split('/') : [])].some((some) =>
    matchesPath(pattern, some),
  );
}

function domainFits(what: string, url: unknown): boolean {
  const domain = /^domain:(.+)$/.exec(what)?.[1];
  if (domain === undefined || typeof url !== 'string' || !URL.canParse(url)) return true;
  return matchesText(domain, new URL(url).hostname);
}
