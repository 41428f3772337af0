import type { Command } from 'commander';
import { dialectsOption } from '../parts/dialects-option.ts';
import { noHooksOption } from '../../hosts/relay/no-hooks-option.ts';
import { addRecordingOptions } from '../parts/recording-option.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';
import type { ServeOptions } from './serve.ts';

/** `hookmachine serve`: all our hooks as one HTTP hook of hosts. */
export function addServe(program: Command): void {
  addRecordingOptions(program.command('serve'))
    .description(
      'answer agents that have HTTP hooks as "relay" does, in one process that keeps hooks warm, on this machine only',
    )
    .option(
      '--port <n>',
      'the port, which is kept for the next start (default: the one that was kept)',
    )
    .option('--json', 'print the address as one line of JSON')
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .addHelpText(
      'after',
      `
An agent posts its event to /HOST, or to /HOST/EVENT if its input does not name the event, with the
header "Authorization: Bearer TOKEN". The answer is 200 with the JSON object that the agent obeys, or 204
for no opinion. \`hookmachine install <host> --via http\` writes the entries.

Settings apply as they are when an event arrives. The same address shows the calls in the browser.

Example:
  hookmachine serve
  curl -H "Authorization: Bearer $HOOKMACHINE_TOKEN" http://127.0.0.1:PORT/claude-code \\
    -d '{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"'"$PWD"'","tool_name":"Bash","tool_input":{"command":"ls"}}'`,
    )
    .action(async (options: ServeOptions) => (await import('./serve.ts')).serve(options));
}
