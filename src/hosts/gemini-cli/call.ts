import { isRecord } from '../../base/json.ts';
import type { CallResult, Dialect } from '../../core/dialects/dialect.ts';
import { llxprt } from '../llxprt/index.ts';
import { fromGeminiInput, fromGeminiTool, toGeminiInput } from './tools.ts';

/** Reads an event from an agent that speaks Gemini CLI, into canonical form. */
export const readCall: Dialect['readCall'] = async (event, given) => {
  const checked = await llxprt.readCall(event, given);
  if ('faults' in checked) return checked;
  const fields = checked.fields as Readonly<Record<string, unknown>>;
  const { tool_name: theirs, tool_input: input, transcript_path: transcriptPath } = fields;
  const tool = typeof theirs === 'string' ? fromGeminiTool(theirs) : undefined;
  return {
    fields: {
      ...fields,
      ...(tool !== undefined && {
        tool_name: tool,
        ...(isRecord(input) && { tool_input: fromGeminiInput(tool, input) }),
      }),
    },
    context: typeof transcriptPath === 'string' ? { transcriptPath } : {},
  };
};

/** Returns what is reported to such an agent: the final arguments as Gemini CLI has them. */
export const reportCall = ({ toolName = '', toolInput }: CallResult) => ({
  toolInput: toolInput && toGeminiInput(toolName, toolInput),
});
