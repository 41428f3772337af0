import type {
  AndOr,
  Case,
  Function as Definition,
  For,
  If,
  Pipeline,
  PipelineNode,
  SyntaxNode,
  Select,
} from 'unbash';
import { forEachChild } from 'unbash';
import { Expander } from './expand.ts';
import { blurred, unknownMark } from './marks.ts';
import type { Walking } from './walking.ts';
import type { ShellState } from './state.ts';
import { inTable } from '../../base/json.ts';

/** Walks through one part of a command and returns what it prints. */
export function walk(at: Walking, node: SyntaxNode): string {
  switch (node.type) {
    case 'Command':
      return at.command(node);
    case 'Pipeline':
      return pipeline(at, node);
    case 'AndOr':
      return andOr(at, node);
    case 'Redirected':
      return at.redirect(node.redirects, new Expander(at, 0), () => at.node(node.command));
    case 'Statement': {
      const isApart = node.background === true;
      const output = isApart ? at.apart(() => at.node(node.command)) : at.node(node.command);
      returnToWhereLeft(at.state);
      return output;
    }
    case 'Subshell':
      return at.apart(() => at.node(node.body));
    case 'If':
      return conditional(at, node);
    case 'Case':
      return cases(at, node);
    case 'For':
    case 'Select':
      return loop(at, node);
    case 'While':
      return at.node(node.clause) + branches(at, [() => at.node(node.body), () => '']);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) at.node(part);
      return branches(at, [() => at.node(node.body), () => '']);
    case 'Function':
      return define(at, node);
    case 'Coproc':
      return at.apart(() => children(at, node));
    case 'Word': {
      new Expander(at, 0).fields(node);
      return '';
    }
    default:
      return children(at, node);
  }
}

function children(at: Walking, node: SyntaxNode): string {
  let output = '';
  forEachChild(node, (child) => {
    output += at.node(child);
  });
  return output;
}

/** A failed `cd` lets the commands of the next line run where the shell was. */
function returnToWhereLeft(state: ShellState): void {
  if (state.whereLeft.length === 0) return;
  if (!state.stopsOnError) state.folders = [...new Set([...state.folders, ...state.whereLeft])];
  state.whereLeft = [];
}

function pipeline(at: Walking, { commands }: Pipeline): string {
  let passed = at.stdin;
  for (const command of commands)
    passed = at.withStdin(passed, () =>
      commands.length === 1 ? at.node(command) : at.apart(() => at.node(command)),
    );
  return passed;
}

function andOr(at: Walking, { commands, operators }: AndOr): string {
  let output = at.node(commands[0]!);
  for (const [index, operator] of operators.entries()) {
    const command = commands[index + 1]!;
    if (operator === '&&') output += at.node(command);
    else output += otherwise(at, command);
  }
  return output;
}

/** `A || B`: B runs where A has failed, and may end the shell there. */
function otherwise(at: Walking, command: PipelineNode): string {
  const { state } = at;
  const failed = state.apart();
  if (state.whereLeft.length > 0) failed.folders = state.whereLeft;
  failed.whereLeft = [];
  const succeeded = state.apart();
  succeeded.whereLeft = [];
  at.state = failed;
  const output = at.node(command);
  at.state = state;
  state.whereLeft = [];
  state.join([succeeded, failed]);
  return output;
}

/** Runs each of these from the same state, and joins what they changed. */
function branches(at: Walking, all: readonly (() => string)[]): string {
  const { state } = at;
  const ends: ShellState[] = [];
  let output = '';
  for (const branch of all) {
    at.state = state.apart();
    output += branch();
    ends.push(at.state);
  }
  at.state = state;
  state.join(ends);
  return output;
}

function conditional(at: Walking, { clause, then, elif, else: other }: If): string {
  const first = at.node(clause);
  const known = statusOf(clause.commands.length === 1 ? clause.commands[0]!.command : undefined);
  if (known === true) return first + at.node(then);
  return (
    first +
    branches(at, [
      ...(known === false ? [] : [() => at.node(then)]),
      ...elif.map((one) => () => at.node(one.clause) + at.node(one.then)),
      () => (other ? at.node(other) : ''),
    ])
  );
}

/** Returns whether a condition holds, if its program always says the same. */
function statusOf(node: SyntaxNode | undefined): boolean | undefined {
  if (node?.type !== 'Command' || node.redirects.length > 0) return undefined;
  return inTable({ true: true, ':': true, false: false }, node.name?.text ?? '');
}

function cases(at: Walking, { word, items }: Case): string {
  const expander = new Expander(at, 0);
  for (const one of [word, ...items.flatMap(({ pattern }) => pattern)]) expander.text(one);
  return branches(at, [...items.map((item) => () => at.node(item.body)), () => '']);
}

const mostTurns = 40;

function loop(at: Walking, { name, wordlist, body }: For | Select): string {
  const expander = new Expander(at, 0);
  const items = wordlist ? wordlist.flatMap((word) => expander.fields(word)) : at.state.positional;
  let output = '';
  for (const item of items.slice(0, mostTurns)) {
    at.state.set(name.value, [item]);
    output += at.node(body);
  }
  if (items.length > mostTurns) {
    at.state.set(name.value, [blurred(items.join(''))]);
    output += at.node(body);
  }
  if (items.length === 0) at.state.set(name.value, [unknownMark]);
  return output;
}

function define(at: Walking, { name, body }: Definition): string {
  if (multiplies(body, name.value))
    at.emit({ kind: 'lost', why: 'it starts itself more than once' });
  at.state.functions.set(name.value, body);
  return '';
}

/** Whether a function starts itself in both ends of a pipeline, or in the background. */
function multiplies(node: SyntaxNode, name: string): boolean {
  if (node.type === 'Pipeline')
    if (
      node.commands.filter((command) => command.type === 'Command' && command.name?.value === name)
        .length > 1
    )
      return true;
  if (
    node.type === 'Statement' &&
    node.background === true &&
    node.command.type === 'Command' &&
    node.command.name?.value === name
  )
    return true;
  let does = false;
  forEachChild(node, (child) => {
    does ||= multiplies(child, name);
  });
  return does;
}
