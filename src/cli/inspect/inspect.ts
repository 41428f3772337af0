import type { Command } from 'commander';
import { warn } from '../../base/log.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { openOption, portOf, untilInterrupted } from '../parts/inspect-option.ts';
import { openInBrowser } from '../parts/open-in-browser.ts';

interface Options {
  readonly port?: string;
  readonly open?: true;
}

/** `hookmachine inspect FILE`: a recording in the inspector's page. */
export function addInspect(program: Command): void {
  program
    .command('inspect')
    .argument('<file>', 'a recording, made with --record')
    .description('open a recording in the browser: every call, its machine and what its hooks did')
    .option('--port <n>', "the page's port on this machine (default: a free one)")
    .option(...openOption)
    .addHelpText(
      'after',
      `
The page is served until Ctrl-C, to this machine only, and loads nothing from elsewhere.

Example:
  hookmachine tool read_file --input '{"file_path":"README.md"}' --record session.jsonl
  hookmachine inspect session.jsonl`,
    )
    .action(inspect);
}

async function inspect(file: string, { port, open }: Options): Promise<void> {
  const usedPort = portOf(port, '--port');
  const { serveRecording } = await import('../../watch/inspector/serve-recording.ts');
  const page = await serveRecording(file, {
    ...(usedPort !== undefined && { port: usedPort }),
  }).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
  process.stderr.write(`hookmachine: ${page.url} shows it; Ctrl-C ends this\n`);
  if (open) void openInBrowser(page.ticket(), (line) => warn(undefined, line));
  await untilInterrupted();
  await page.close();
}
