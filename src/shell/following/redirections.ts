import type { HereDoc, HereString, Redirect, Redirection } from 'unbash';
import { followArgument } from './arguments.ts';
import type { Following, Input } from './following.ts';

/**
 * Follows the targets of `<`, `>` and the like; returns where the input comes from, if from one of them. A
 * file that is read counts as a script if the program may run what it reads.
 */
export function followRedirections(
  at: Following,
  redirections: readonly Redirection[],
  mayRun: boolean,
): Input {
  let input: Input;
  for (const redirection of redirections) input = followed(at, redirection, mayRun) ?? input;
  return input;
}

function followed(at: Following, redirection: Redirection, mayRun: boolean): Input {
  switch (redirection.type) {
    case 'HereDoc':
      return { from: 'text', text: hereDocument(at, redirection) };
    case 'HereString':
      return hereString(at, redirection);
    case 'Redirect':
      return redirect(at, redirection, mayRun);
  }
}

function hereDocument(at: Following, { body }: HereDoc): string {
  for (const part of body.parts ?? []) at.node(part);
  return body.text;
}

function hereString(at: Following, { target }: HereString): Input {
  if (!target) return undefined;
  at.inner(target);
  const { texts, unknown } = at.means(target);
  return unknown === undefined && texts.length === 1
    ? { from: 'text', text: texts[0]! }
    : { from: 'pipe' };
}

function redirect(at: Following, { operator, target }: Redirect, mayRun: boolean): Input {
  if (!target) return undefined;
  at.inner(target);
  const said = { written: target.text, meant: at.means(target) };
  if (operator.endsWith('&') && /^(?:\d+-?|-)$/.test(target.value)) return undefined;
  if (operator !== '<' && operator !== '<>') {
    for (const text of said.meant.texts) at.findings.names(text, 'written');
    return undefined;
  }
  if (target.parts?.some(({ type }) => type === 'ProcessSubstitution')) return { from: 'pipe' };
  followArgument(at, said, mayRun ? 'script' : 'file');
  return { from: 'file' };
}
