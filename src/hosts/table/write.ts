import { entryWriter, unanchored, type Writer } from '../../core/dialects/writer.ts';
import { toolsOf } from './tools.ts';
import type { LoadedDialect } from './host-table.ts';

/** How a host's settings describe a hook. */
export function writerOf(of: LoadedDialect): Writer {
  const { title, installation, writes } = of;
  if (installation.kind !== 'entries' || writes === undefined)
    throw new Error(`${title} has no file of entries.`);
  return {
    ...installation,
    ...unanchored,
    toolName: toolsOf(of).nameOf,
    write: entryWriter(writes),
  };
}
