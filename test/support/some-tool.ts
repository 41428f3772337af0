import { z } from 'zod';
import type { Tool, ToolContext } from '../../src/agent/loop/tool.ts';
import type { ToolResult } from '../../src/core/protocol/tool-result.ts';

/** The arguments of `write_file` in these tests. */
export const parameters = z.object({
  path: z.string(),
  times: z.number().int().min(1).default(1),
});
export type Arguments = z.infer<typeof parameters>;

/** A tool that records each of its runs. */
export interface SeenTool extends Tool<Arguments> {
  readonly runs: { readonly input: Arguments; readonly context: ToolContext }[];
}

/** A tool with checked arguments that does this work. */
export function someTool(
  name: string,
  work: (input: Arguments, context: ToolContext) => Promise<ToolResult> = saying,
): SeenTool {
  const runs: SeenTool['runs'] = [];
  return {
    name,
    description: 'A tool of the tests.',
    parameters,
    runs,
    execute(input, context) {
      runs.push({ input, context });
      return work(input, context);
    },
  };
}

const saying = ({ path }: Arguments): Promise<ToolResult> =>
  Promise.resolve({ llmContent: `wrote ${path}`, returnDisplay: `Wrote ${path}.` });
