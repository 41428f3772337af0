import { oneLine } from '../../../base/log.ts';
import { textOf, toTurns } from '../../../core/translate/turns.ts';
import type { ModelRequest } from '../../../core/translate/model.ts';
import { patternOf, type ScriptedTurn } from './turn.ts';

/** Returns in words what a turn expects and the request lacks; undefined if it lacks nothing. */
export function unmet(expected: ScriptedTurn['expect'], request: ModelRequest): string | undefined {
  if (expected === undefined) return undefined;
  const { last, request: whole } =
    typeof expected === 'string' || Array.isArray(expected)
      ? { last: expected, request: undefined }
      : expected;
  return (
    missing(last, lastMessage(request), 'the last message') ??
    missing(whole, JSON.stringify(request), 'the request')
  );
}

function missing(
  patterns: string | readonly string[] | undefined,
  text: string,
  what: string,
): string | undefined {
  const absent = [patterns ?? []]
    .flat()
    .find((pattern) => patternOf(pattern)?.test(text) === false);
  return absent === undefined
    ? undefined
    : `${what} should contain ${JSON.stringify(absent)}, but is ${JSON.stringify(oneLine(text, 200))}`;
}

/** The texts of the last message, and the results of calls in it as JSON, one per line. */
function lastMessage({ contents }: ModelRequest): string {
  const parts = toTurns(contents).at(-1)?.content.parts ?? [];
  return parts
    .flatMap((part) => [
      textOf(part),
      part.functionResponse && JSON.stringify(part.functionResponse),
    ])
    .filter((text) => text !== undefined)
    .join('\n');
}
