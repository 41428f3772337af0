import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { Tool, ToolContext } from '../loop/tool.ts';
import type { WrittenPath } from '../../hosts/guarded/find-guarded.ts';
import { onDemand } from '../../base/on-demand.ts';

const loadFindGuarded = onDemand(() => import('../../hosts/guarded/find-guarded.ts'));

/** A tool that writes, and the paths that a call is known to write beforehand. */
interface WritingTool<Input extends object> extends Tool<Input> {
  readonly writes: (
    input: Input,
    cwd: string,
  ) => readonly WrittenPath[] | Promise<readonly WrittenPath[]>;
}

/**
 * Returns the same tool with a check: before it writes to a guarded place, it asks, or refuses if nobody can
 * be asked. Guarded places are settings with hooks, folders of hooks and extensions, the record of what is
 * trusted, and trusted scripts.
 */
export const guardedTool = <Input extends object>({
  writes,
  ...tool
}: WritingTool<Input>): Tool<Input> => ({
  ...tool,
  async execute(input, context) {
    if (!context.allowGuardWrites) {
      const refusal = await refusalOf(tool.name, input, await writes(input, context.cwd), context);
      if (refusal) return refusal;
    }
    return tool.execute(input, context);
  },
});

async function refusalOf(
  tool: string,
  input: object,
  written: readonly WrittenPath[],
  { cwd, confirmGuarded }: ToolContext,
): Promise<ToolResult | undefined> {
  const { findGuarded } = await loadFindGuarded();
  const guarded = findGuarded(cwd, written);
  if (guarded.length === 0) return undefined;
  const paths = guarded.join(', ');
  if (confirmGuarded === undefined)
    return errorResult(
      `${tool} may not write ${paths}: hooks, their settings or their scripts are there, and they guard this agent. Ask the user to change it, or to allow it (--allow-guard-writes, or allowGuardWrites in the host's options).`,
      'guarded_path',
    );
  if (await confirmGuarded({ tool, input, guarded })) return undefined;
  return errorResult(
    `The user did not let ${tool} write ${paths}, where hooks, their settings or their scripts are.`,
    'declined',
  );
}
