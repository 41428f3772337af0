import { randomUUID } from 'node:crypto';
import type { ToolInput } from '../../../machines/tool-call.ts';
import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { textsIn, type ToolResult } from '../../core/protocol/tool-result.ts';
import { argumentsOf, inputOf } from './items.ts';
import { toolOutput, toToolResult } from './output.ts';
import { Run, runs } from './scope.ts';
import type {
  Approving,
  CallDetails,
  Edit,
  Editor,
  FunctionTool,
  PatchResult,
  PatchTool,
  RunContext,
  ShellResult,
  ShellTool,
  Tool,
} from './types.ts';

/** The run that a call belongs to; undefined if no hooks are around it. */
type CurrentRun = () => Run | undefined;

/** The tool with hooks around its calls; a tool that the SDK does not run itself is unchanged. */
export function wrapTool(tool: Tool, run: CurrentRun): Tool {
  switch (tool.type) {
    case 'function':
      return wrapFunctionTool(tool, run);
    case 'shell':
      return tool.shell ? wrapShellTool(tool, tool.shell, run) : tool;
    case 'apply_patch':
      return wrapPatchTool(tool, run);
    default:
      return tool;
  }
}

/** Agents used as tools that already have hooks around their calls. */
const wrappedAgents = new WeakSet<object>();

function wrapFunctionTool(tool: FunctionTool, run: CurrentRun): FunctionTool {
  if (!isAgent(tool)) return copyWith(tool, aroundFunction(tool, run));
  // The SDK knows by this very object which agent the tool represents.
  if (!wrappedAgents.has(tool)) {
    wrappedAgents.add(tool);
    Object.assign(tool, aroundFunction({ ...tool }, run));
  }
  return tool;
}

const isAgent = (tool: FunctionTool): boolean =>
  typeof (tool as { readonly on?: unknown }).on === 'function';

function aroundFunction(
  tool: FunctionTool,
  currentRun: CurrentRun,
): Pick<FunctionTool, 'invoke' | 'needsApproval'> {
  const { name } = tool;
  return {
    needsApproval: approvalOf(tool, currentRun),
    async invoke(context, json, details) {
      const run = currentRun();
      if (run === undefined) return tool.invoke(context, json, details);
      const input = inputOf(json);
      let given: { readonly output: unknown; readonly result: ToolResult } | undefined;
      let failure: { readonly error: unknown } | undefined;
      const inner = isAgent(tool) ? new Run(run.hooks, true) : run;
      const id = idOf(details);
      // Finding out who approved it takes longer than everything else here.
      if (!run.hooks.judgesToolCall({ id, name, input }))
        return runs.run(inner, () => tool.invoke(context, json, details));
      const call = { ...callOf(run, context, name, details, id), input };
      const ended = await run.hooks.tool(call, async (toolInput) => {
        const asked = toolInput === input ? json : argumentsOf(toolInput);
        try {
          const output = await runs.run(inner, () => tool.invoke(context, asked, details));
          given = { output, result: toToolResult(output) };
          return given.result;
        } catch (error) {
          failure = { error };
          throw error;
        }
      });
      if (details?.signal?.aborted && ended.outcome.status === 'cancelled')
        throw details.signal.reason;
      if (failure && !isReplaced(ended)) throw failure.error;
      return toolOutput(ended, given);
    },
  };
}

/** Whether hooks replaced the tool's result with one of their own. */
const isReplaced = ({ after }: EndedToolCall): boolean => after?.toolResponse !== undefined;

const idOf = ({ toolCall }: CallDetails = {}): string => toolCall?.callId ?? randomUUID();

const callOf = (
  run: Run,
  context: RunContext,
  name: string,
  details: CallDetails = {},
  id = idOf(details),
) => {
  const { signal } = details;
  const isApproved = context?.isToolApproved?.({ toolName: name, callId: id }) === true;
  return { id, name, signal, isApproved, isVerbatim: true, isSubagent: run.isSubagent };
};

/** A call that hooks deny asks nobody; one that they want asked about always asks. */
function approvalOf(tool: Approving, currentRun: CurrentRun): Approving['needsApproval'] {
  const { name } = tool;
  return async (context, input, callId) => {
    const run = currentRun();
    const call = { id: callId ?? '', name, input: input as ToolInput };
    const verdict = run?.hooks.verdictOf(call);
    if (verdict?.status === 'ended') return false;
    if (verdict?.status === 'asked') return true;
    const wanted = await tool.needsApproval(context, input, callId);
    return wanted && run !== undefined ? run.hooks.isToBeAsked(call) : wanted;
  };
}

/** The ids of calls by their action, which is all that an executor gets. */
const idsByAction = new WeakMap<object, string>();

const knowing =
  (needsApproval: Approving['needsApproval']): Approving['needsApproval'] =>
  (context, action, callId) => {
    if (callId !== undefined) idsByAction.set(action as object, callId);
    return needsApproval(context, action, callId);
  };

function wrapShellTool(
  tool: ShellTool,
  shell: NonNullable<ShellTool['shell']>,
  currentRun: CurrentRun,
): ShellTool {
  return copyWith(tool, {
    needsApproval: knowing(approvalOf(tool, currentRun)),
    shell: copyWith(shell, {
      run: async (action) => {
        const run = currentRun();
        if (run === undefined) return shell.run(action);
        let given: ShellResult | undefined;
        const ended = await run.hooks.tool(
          { ...executorCall(run, tool, action), input: action as ToolInput },
          async (input) => {
            given = await shell.run(input);
            return textResult(given.output.map(({ stdout, stderr }) => stdout + stderr).join(''));
          },
        );
        const { plainResult, appended } = ended;
        const isGiven = given !== undefined && !isReplaced(ended);
        if (isGiven && appended.length === 0) return given!;
        if (isGiven)
          return { ...given!, output: [...given!.output, shellOutput(appended.join(''), '')] };
        const text = textsIn(ended.toolResult.llmContent);
        return { output: [plainResult.error ? shellOutput('', text) : shellOutput(text, '')] };
      },
    }),
  });
}

const shellOutput = (stdout: string, stderr: string) => ({
  stdout,
  stderr,
  outcome: { type: 'exit', exitCode: stderr === '' ? 0 : 1 },
});

function wrapPatchTool(tool: PatchTool, currentRun: CurrentRun): PatchTool {
  const { editor } = tool;
  const around =
    (name: keyof Editor): Edit =>
    async (operation, context) => {
      const run = currentRun();
      if (run === undefined) return editor[name](operation, context);
      let given: PatchResult | undefined;
      const { toolResult, plainResult } = await run.hooks.tool(
        { ...executorCall(run, tool, operation), input: operation as ToolInput },
        async (input) => {
          given = (await editor[name](input, context)) ?? {};
          const { output = '', status } = given;
          const failed = status === 'failed' && { error: { message: output } };
          return { ...textResult(output), ...failed };
        },
      );
      const output = textsIn(toolResult.llmContent);
      return given
        ? { ...given, output }
        : { status: plainResult.error ? 'failed' : 'completed', output };
    };
  return copyWith(tool, {
    needsApproval: knowing(approvalOf(tool, currentRun)),
    editor: copyWith(editor, {
      createFile: around('createFile'),
      updateFile: around('updateFile'),
      deleteFile: around('deleteFile'),
    }),
  });
}

const executorCall = (run: Run, { name }: Approving, action: object) => ({
  id: idsByAction.get(action) ?? randomUUID(),
  name,
  // If a hook wants a question, it has been asked before.
  isApproved: true,
  isSubagent: run.isSubagent,
});

const textResult = (text: string): ToolResult => ({ llmContent: text, returnDisplay: text });

/** Another object of the same class, with everything that the SDK keeps in it. */
export function copyWith<Copied extends object>(object: Copied, changes: Partial<Copied>): Copied {
  const copy: Copied = Object.create(
    Object.getPrototypeOf(object) as object,
    Object.getOwnPropertyDescriptors(object),
  );
  for (const [key, value] of Object.entries(changes))
    Object.defineProperty(copy, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy;
}
