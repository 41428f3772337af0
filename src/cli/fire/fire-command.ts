import { Option, type Command } from 'commander';
import { knownDialects } from '../../hosts/all/known.ts';
import { allEvents } from '../../core/points/hook-points.ts';
import { dialectNamed, dialectsOption } from '../parts/dialects-option.ts';
import { fire } from './fire.ts';
import type { FireOptions } from './fire-options.ts';
import { noHooksOption } from '../../hosts/relay/no-hooks-option.ts';
import { addRecordingOptions } from '../parts/recording-option.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';

/** `hookmachine fire <Event>`: runs the hooks of one event, for agents in any language. */
export function addFire(program: Command): void {
  addRecordingOptions(program.command('fire'))
    .argument(
      '<event>',
      `one of ${allEvents.join(', ')}, a hook point such as tool.before, or an event of the dialect`,
    )
    .description(
      "run the hooks of one event: the event's fields as JSON on stdin, the verdict as JSON on stdout, or in words on a terminal",
    )
    .option('--cwd <dir>', 'the project folder', '.')
    .option('--session-id <id>', 'the session that hooks receive (default: a new one)')
    .addOption(
      new Option(
        '--dialect <name>',
        `the dialect of the event, its fields and the verdict: ${knownDialects.map(({ name }) => name).join(', ')}`,
      )
        .argParser(dialectNamed)
        .default(knownDialects[0], knownDialects[0]?.name),
    )
    .option('--sample', 'print sample fields of the event, for stdin; nothing is run')
    .option('--hook <name>', 'run only this hook, by its name or command')
    .option('--why', 'say for every hook why it did or did not run')
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .addHelpText(
      'after',
      `
Exit status: 0 allowed, 2 blocked or stopped, 3 a hook asks about it or defers it, so it must not
run without an answer, 1 the command could not do its work.
AfterTool, AfterModel and BeforeToolSelection come too late to block: there a block
is reported, for the model or the log, and undoes nothing.

Example:
  echo '{"tool_name":"write_file","tool_input":{"file_path":"a.txt"}}' | hookmachine fire BeforeTool
  hookmachine fire BeforeTool --sample | hookmachine fire BeforeTool --why`,
    )
    .action(async (event: string, options: FireOptions) => void (await fire(event, options)));
}
