import { isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';
import type { GuardException } from '../../settings/files/read-guards.ts';
import { shown } from '../../shell/reading/marks.ts';
import type { Finding, GuardName, Rule, RuleAnswer } from './rule.ts';

/** A finding with what its rule says. */
export interface RuledFinding extends Finding {
  readonly guard: GuardName;
  readonly answer: RuleAnswer;
  readonly about: Rule;
  /** The exception that lets it through. */
  readonly allowedBy?: GuardException;
}

/** Whether an exception is about a finding. */
export function allows(
  { rule, path, command, session }: GuardException,
  finding: Finding,
  now: string,
  project: string,
): boolean {
  if (rule !== finding.rule) return false;
  if (session !== undefined && session !== now) return false;
  if (path !== undefined) {
    const pattern = isAbsolute(path) ? path : join(project, path);
    if (finding.path === undefined) return false;
    if (finding.path !== pattern && !picomatch.isMatch(finding.path, pattern, { dot: true }))
      return false;
  }
  if (command === undefined) return true;
  return command.includes('*')
    ? picomatch.isMatch(finding.part, command, { bash: true, dot: true })
    : finding.part === command || finding.part.startsWith(`${command} `);
}

/** Says in a few sentences what a finding is about, and what to do instead. */
export function sentenceOf({ part, does, rule, about }: RuledFinding): string {
  const what = part === '' ? `This ${does}` : `\`${part}\` ${does}`;
  const instead =
    about.instead === undefined
      ? ''
      : ` Instead: ${about.instead.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`;
  return shown(`${what}. ${about.why}${instead} [${rule}]`);
}
