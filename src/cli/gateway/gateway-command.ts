import type { Command } from 'commander';
import { dialectsOption } from '../parts/dialects-option.ts';
import { addInspectOptions } from '../parts/inspect-option.ts';
import { noHooksOption } from '../../hosts/relay/no-hooks-option.ts';
import { addRecordingOptions } from '../parts/recording-option.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';
import type { GatewayCommandOptions } from './gateway.ts';

/** `hookmachine gateway -- AGENT…`: hooks around the model calls of agents that have none. */
export function addGateway(program: Command): void {
  addInspectOptions(addRecordingOptions(program.command('gateway')))
    .argument('[command...]', 'the command that starts an agent, after --')
    .description(
      'sit between an agent and its model, on this machine only: hooks, redaction and budgets for every model call',
    )
    .option(
      '--provider <name=url...>',
      'another provider, or another address of anthropic, openai or gemini (default: what the environment names, or the usual one)',
    )
    .option(
      '--port <n>',
      'the port (default: a free one, or with no command the one that was kept)',
    )
    .option(
      '--save <dir>',
      'write each request, as the provider gets it, and its answer to files in this folder',
    )
    .option('--json', 'print the address, and at the end what was used, as lines of JSON')
    .option('--cwd <dir>', 'the project folder, whose hooks run', process.cwd())
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .addHelpText(
      'after',
      `
With a command, the agent is started with its providers' addresses set, and the gateway ends with it. Without,
the gateway stays until Ctrl-C and prints the addresses. Keys and logins pass through; they are never stored,
logged or shown. What no hook changes is passed on byte for byte.

Exit status: the agent's own; 1 the command could not do its work.

Example:
  hookmachine gateway -- claude
  hookmachine gateway --inspect -- codex
  hookmachine gateway --provider openai=https://openrouter.ai/api/v1 -- qwen`,
    )
    .action(async (command: readonly string[], options: GatewayCommandOptions) =>
      (await import('./gateway.ts')).gateway(command, options),
    );
}
