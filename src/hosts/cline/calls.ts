import { isRecord } from '../../base/json.ts';
import { isText, isTexts } from '../parts/hook-groups.ts';
import type { ToolCall } from '../table/host-table.ts';

/** Cline's calls that do several things at once, or differ from ours in more than names. */
export const calls = {
  from({ tool, input }: ToolCall): ToolCall | undefined {
    switch (tool) {
      case 'run_commands': {
        const { commands, ...rest } = input;
        // Cline runs them side by side; a guard reads them as one script.
        const command = isTexts(commands) ? commands.join('\n') : commands;
        return { tool: 'run_shell_command', input: { ...rest, command } };
      }
      case 'editor': {
        const { path, old_text: before, new_text: text, insert_line: line, ...rest } = input;
        return before === undefined && line === undefined
          ? { tool: 'write_file', input: { ...rest, file_path: path, content: text } }
          : {
              tool: 'replace',
              input: {
                ...rest,
                file_path: path,
                old_string: before ?? '',
                new_string: text,
                ...(line !== undefined && { insert_line: line }),
              },
            };
      }
      case 'read_files': {
        const { files } = input;
        const [file, ...others] = Array.isArray(files) ? (files as unknown[]) : [];
        return isRecord(file) && others.length === 0
          ? { tool: 'read_file', input: { ...file, path: undefined, file_path: file['path'] } }
          : undefined;
      }
      default:
        return undefined;
    }
  },
  to({ tool, input }: ToolCall): ToolCall | undefined {
    const { file_path: path = input['absolute_path'], ...rest } = input;
    switch (tool) {
      case 'run_shell_command': {
        const { command } = input;
        return { tool: 'run_commands', input: { commands: isText(command) ? [command] : [] } };
      }
      case 'write_file':
        return { tool: 'editor', input: { path, new_text: rest['content'] } };
      case 'replace': {
        const { old_string: before, new_string: text, insert_line: line } = rest;
        return {
          tool: 'editor',
          input: {
            path,
            ...(line === undefined ? { old_text: before } : { insert_line: line }),
            new_text: text,
          },
        };
      }
      case 'read_file': {
        const { start_line: start, end_line: end } = rest;
        const lines = {
          ...(start !== undefined && { start_line: start }),
          ...(end !== undefined && { end_line: end }),
        };
        return { tool: 'read_files', input: { files: [{ path, ...lines }] } };
      }
      default:
        return undefined;
    }
  },
} as const;

/** The files of a call that reads several. */
export function parts({ tool, input }: ToolCall) {
  const { files } = input;
  if (tool !== 'read_files' || !Array.isArray(files) || files.length < 2) return undefined;
  const named = files.map((file: unknown) => (isRecord(file) ? file : {}));
  return {
    calls: named.map(({ path, ...lines }) => ({
      tool: 'read_file',
      input: { ...lines, file_path: path },
    })),
    inputWith: (inputs: readonly (Readonly<Record<string, unknown>> | null)[]) => ({
      ...input,
      files: named.map((file, index) => {
        const changed = inputs[index];
        return changed ? { ...file, path: changed['file_path'] } : file;
      }),
    }),
  };
}
