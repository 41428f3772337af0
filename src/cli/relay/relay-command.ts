import { type Command, Option } from 'commander';
import { hosts } from '../../hosts/all/hosts.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { hostNamed } from '../parts/host-named.ts';
import { noHooksOption } from '../../hosts/relay/no-hooks-option.ts';
import { addRecordingOptions } from '../parts/recording-option.ts';
import type { RelayOptions } from './relay-options.ts';
import { relay } from './relay.ts';
import { unanswered } from '../../hosts/parts/denying-answer.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';

/** `hookmachine relay <host>`: all our hooks as one hook of a host. */
export function addRelay(program: Command): void {
  addRecordingOptions(program.command('relay'))
    .argument('<host>', `the agent that calls it: ${hosts.map(({ name }) => name).join(', ')}`)
    .argument('[event]', 'for hosts whose input does not name the event')
    .description(
      "act as a hook of that agent: read its event on stdin, run the hooks of all dialects except the agent's own, and answer in the form that it obeys",
    )
    .option('--cwd <dir>', 'the project folder (default: the one that the agent names)')
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .option(
      '--defer',
      'keep what hooks ask about in the database of durable calls, if nobody is there to answer and the agent can be resumed',
    )
    .addOption(new Option('--warm <socket>').hideHelp())
    .addOption(new Option('--begun <marks>').argParser((marks) => marks.split(',')).hideHelp())
    .addHelpText(
      'after',
      `
\`hookmachine install <host>\` writes the entries that call it.

Example:
  echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | hookmachine relay claude-code`,
    )
    .action(async (host: string, event: string | undefined, options: RelayOptions) => {
      // Whatever agent that is, its event cannot be judged, and most take this status for a denial.
      process.exitCode = unanswered;
      const known = hostNamed(host);
      process.exitCode = 0;
      await relay(known, event, options);
    });
}
