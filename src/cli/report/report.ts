import { realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { writeAtomically } from '../../base/atomic-file.ts';
import { oneLine } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { printable } from '../parts/printable.ts';

/** `hookmachine report FILE…`: recordings as one page to pass on. */
export function addReport(program: Command): void {
  program
    .command('report')
    .argument('<files...>', 'recordings, made with --record')
    .requiredOption('-o, --output <file>', 'the HTML file to write')
    .description(
      'write recordings as one HTML file: the page that inspect shows, with its data in it',
    )
    .addHelpText(
      'after',
      `
The file needs no network and no other file. report.html#call=ID opens it at a call; ID is a
tool call id or an entry id, as hookmachine explain prints it.

Example:
  hookmachine report session.jsonl -o report.html`,
    )
    .action(report);
}

async function report(
  files: readonly string[],
  { output }: { readonly output: string },
): Promise<void> {
  const overwritten = files.find((file) => isSame(file, output));
  if (overwritten !== undefined)
    throw new CommandFailure(`-o ${output} is the recording itself: name another file`);
  const [{ recordingFeed }, { reportPage }] = await Promise.all([
    import('../../watch/inspector/recording-feed.ts'),
    import('../../watch/inspector/report-page.ts'),
  ]);
  const { feed, read } = await recordingFeed(files).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
  await read();
  const page = await reportPage(feed);
  try {
    // Like the recording itself, it may hold private data.
    writeAtomically(output, page, { mode: 0o600 });
  } catch (cause) {
    throw new CommandFailure(`-o ${output} cannot be written: ${messageOf(cause)}`, { cause });
  }
  for (const notice of feed.about.notices) say(notice);
  say(
    feed.about.payloads
      ? `${output} was written; it holds arguments, prompts and results: review it before you share it`
      : `${output} was written`,
  );
}

const say = (line: string): void =>
  void process.stderr.write(`hookmachine: ${oneLine(printable(line))}\n`);

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
