import type { z } from 'zod';
import {
  formatProblem,
  placeOf,
  type Path,
  type Position,
} from '../../../core/definitions/problem.ts';
import { said } from '../../../base/message-of.ts';
import { ModelError } from '../model-error.ts';
import { turnSchema } from './turn.ts';
import { inTable } from '../../../base/json.ts';

/** A mistake in a script. */
export interface Mistake {
  readonly at: Position;
  /** The place in the script, such as `turn 2 calls[0].name`. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/** All mistakes in a script as one error, one per line, in the order of the file. */
export function scriptError(file: string, mistakes: readonly Mistake[]): ModelError {
  const lines = mistakes
    .toSorted((one, other) => one.at.line - other.at.line || one.at.column - other.at.column)
    .map((mistake) => formatProblem({ file, ...mistake }));
  return new ModelError(lines.join('\n'));
}

/** The schema's issues with a turn as mistakes, each with its place and a fix. */
export function mistakesIn(
  turn: unknown,
  index: number,
  issues: readonly z.core.$ZodIssue[],
  locate: (path: Path) => Position,
): Mistake[] {
  const mistake = (path: Path, message: string, fix: string): Mistake => ({
    at: locate([index, ...path]),
    place: [`turn ${index + 1}`, placeOf(path)].filter(Boolean).join(' '),
    message,
    fix,
  });
  return issues.flatMap((issue) => {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) =>
        mistake([...path, key], 'there is no such key', `use ${keysOf(path)}`),
      );
    const value = path.reduce<unknown>(
      (inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step],
      turn,
    );
    const verb = value === undefined ? 'add' : 'make it';
    return [mistake(path, said(value), `${verb} ${wantedAt(path)}`)];
  });
}

const wanted: Readonly<Record<string, string>> = {
  expect:
    'a string, a valid /regular expression/, a list of these, or an object with last and request',
  text: 'a string; put quotes around it',
  calls: 'a list such as [{ name: read_file, args: { path: a.txt } }]',
  'calls.name': 'the name of a tool',
  'calls.args': 'an object such as { path: a.txt }',
  'calls.id': 'a string; put quotes around it',
  error: 'a message, or an object with message and status (400 to 599)',
  delay: 'a number of milliseconds, at most an hour',
  wordDelay: 'a number of milliseconds, at most an hour',
  finishReason: 'one of STOP, MAX_TOKENS, SAFETY, RECITATION, OTHER',
  usage: 'an object such as { promptTokenCount: 10, candidatesTokenCount: 5 }',
};

function wantedAt(path: Path): string {
  const names = path.filter((step) => typeof step === 'string');
  const [name] = names;
  if (name === undefined) return 'an object such as { text: Hello }';
  if (name === 'calls' && names.length === 1 && path.length > 1)
    return 'an object such as { name: read_file }';
  if (name === 'usage' && names.length > 1) return 'a whole number';
  return inTable(wanted, names.join('.')) ?? inTable(wanted, name) ?? 'what the documentation says';
}

function keysOf([name]: Path): string {
  if (name === 'calls') return 'name, args or id';
  if (name === 'error') return 'message or status';
  if (name === 'expect') return 'last or request';
  if (name === 'usage') return 'promptTokenCount, candidatesTokenCount or totalTokenCount';
  return `one of ${Object.keys(turnSchema.shape).join(', ')}`;
}
