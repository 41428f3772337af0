import type { Command } from 'commander';
import { dialectsOption } from '../parts/dialects-option.ts';
import { addInspectOptions } from '../parts/inspect-option.ts';
import { noHooksOption } from '../../hosts/relay/no-hooks-option.ts';
import { addRecordingOptions } from '../parts/recording-option.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';
import type { McpOptions } from './mcp.ts';

/** `hookmachine mcp -- COMMAND…`: hooks around the tool calls of any MCP server. */
export function addMcp(program: Command): void {
  addInspectOptions(addRecordingOptions(program.command('mcp')))
    .argument('[command...]', 'the command that starts the MCP server, after --')
    .description('sit between an MCP client and a server, with hooks around every tool call')
    .option(
      '--url <url>',
      'the address of a server that is reached over HTTP, instead of a command',
    )
    .option(
      '--header <headers...>',
      'headers of every request to that address, such as "Authorization: Bearer $TOKEN"',
    )
    .option('--server <name>', 'show its tools to hooks as mcp__NAME__tool')
    .option('--cwd <dir>', 'the project folder, whose hooks run', process.cwd())
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .addHelpText(
      'after',
      `
In the configuration of any MCP client it goes before the server's own command. Messages other than tool
calls and lists of tools pass unchanged. Warnings go to stderr. It guards this server alone: the agent's own
tools and its other servers bypass it.

Exit status: the server's own; 1 the command could not do its work.

Example:
  hookmachine mcp -- npx -y @modelcontextprotocol/server-filesystem .
  hookmachine mcp --url https://example.com/mcp --header "Authorization: Bearer $TOKEN"`,
    )
    .action(async (command: readonly string[], options: McpOptions) =>
      (await import('./mcp.ts')).mcp(command, options),
    );
}
