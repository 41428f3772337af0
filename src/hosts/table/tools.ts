import { toolTable } from '../parts/tool-table.ts';
import type { HostTable, ToolCall } from './host-table.ts';

/** Maps calls between our names and a host's. */
export interface ToolCalls {
  readonly toTheirs: (call: ToolCall) => ToolCall;
  readonly fromTheirs: (call: ToolCall) => ToolCall;
  /** The host's name for one of our tools. */
  readonly nameOf: (ours: string) => string;
}

/** Returns the maps of a host. */
export function toolsOf({ tools, calls }: Pick<HostTable, 'tools' | 'calls'>): ToolCalls {
  const table = toolTable(tools);
  return {
    toTheirs: (call) =>
      calls?.to(call) ?? {
        tool: table.toTheirs(call.tool),
        input: table.toInput(call.tool, call.input),
      },
    fromTheirs(call) {
      const special = calls?.from(call);
      if (special) return special;
      const tool = table.fromTheirs(call.tool);
      return { tool, input: table.fromInput(tool, call.input) };
    },
    nameOf: (ours) => calls?.to({ tool: ours, input: {} })?.tool ?? table.toTheirs(ours),
  };
}
