import { objectIn } from '../../hosts/parts/event-input.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a JSON object that comes from outside.
 *
 * @throws {CommandFailure} if it is not one; the message names `where` it came from, and the fix
 */
export function parseJsonObject(text: string, where: string): Fields {
  const read = objectIn(text);
  if ('fault' in read) throw new CommandFailure(`${where} ${read.fault}`);
  return read.object;
}
