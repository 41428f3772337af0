import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { toGeminiInput, toGeminiTool } from './tools.ts';

/** Returns what a hook receives (as measured on the host). */
export function toStdin(payload: HookPayload, { transcriptPath }: EventContext): object {
  const { tool_name: tool, tool_input: input, tool_response: response } = payload;
  return {
    ...payload,
    ...(transcriptPath !== undefined && { transcript_path: transcriptPath }),
    ...(typeof tool === 'string' && {
      tool_name: toGeminiTool(tool),
      ...(isRecord(input) && { tool_input: toGeminiInput(tool, input) }),
    }),
    ...(isRecord(response) && { tool_response: withoutMetadata(response) }),
  };
}

/** Gemini CLI's results have no `metadata` field. */
function withoutMetadata({
  metadata: _,
  ...response
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return response;
}
