import { isTooDeep } from '../dialects/printed-json.ts';
import { isRecord } from '../protocol/output.ts';
import { CommandFailure } from './failure.ts';

/**
 * Parses a JSON object that comes from outside.
 *
 * @throws {CommandFailure} if it is not one; the message names `where` it came from, and the fix
 */
export function parseJsonObject(text: string, where: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '')
    throw new CommandFailure(`${where} is empty: give it one JSON object, such as {}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${where} is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  // Hooks could not receive it, and an agent must not take that for a yes.
  if (isTooDeep(text))
    throw new CommandFailure(`${where} is nested too deeply for hooks to receive it: flatten it`);
  if (!isRecord(value))
    throw new CommandFailure(
      `${where} must hold one JSON object, but holds ${Array.isArray(value) ? 'an array' : JSON.stringify(value).slice(0, 40)}`,
    );
  return value;
}
