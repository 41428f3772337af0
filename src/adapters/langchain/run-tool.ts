import { isError } from '../../base/errors.ts';
import { AsyncResource } from 'node:async_hooks';
import type { ToolInput } from '../../../machines/tool-call.ts';
import { newCallId } from '../../core/calls/event-hooks.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { askInGraph, canAsk, isGraphSignal } from './approval.ts';
import { loadCore } from './core.ts';
import { failedResult, fromToolCall, type Ran, toToolResult } from './tool-result.ts';
import type { Runtime, WantedCall } from './types.ts';

/** Why a call is refused that a hook wants asked about, if nobody can be asked. */
const nobodyAsked = 'A hook wants the user to be asked about this call, but nobody was asked.';

/** Takes a tool call through its hooks; `run` returns the tool's result for LangChain. */
export async function runTool(
  hooks: AgentHooks,
  call: WantedCall,
  runtime: Runtime,
  run: (input: ToolInput) => unknown,
): Promise<unknown> {
  const { id = newCallId(), name, args } = call;
  if (!hooks.judgesToolCall({ id, name, input: args })) return runPlainly({ id, name }, runtime, () => run(args)); // prettier-ignore
  // Graphs find their context through it, and hooks may continue in another one.
  const place = new AsyncResource('HookedToolCall');
  const { signal } = runtime;
  const isAnswered = hooks.wasToBeAsked({ id, name, input: args });
  // A denial would become the answer of a kept call, which waits for its own.
  const isAsked = !hooks.isDurable && hooks.verdictOf({ id, name, input: args })?.status === 'asked'; // prettier-ignore
  let ran: Ran | undefined;
  const ended = await hooks.tool(
    {
      id,
      name,
      input: args,
      signal,
      isVerbatim: true,
      isInterruption: isGraphSignal,
      asksAgain: true,
      ...((canAsk(runtime) || isAsked) && {
        confirm: async ({ input, reason }) => {
          if (await isAnswered) return true;
          // It was judged where its user could be asked, but runs elsewhere.
          if (!canAsk(runtime)) return reason ?? nobodyAsked;
          return place.runInAsyncScope(() => askInGraph(runtime, { name, input, reason }));
        },
      }),
    },
    async (input) => {
      try {
        const given = await place.runInAsyncScope(() => run(input));
        const result = toToolResult(given, id);
        ran = { given, result };
        return result;
      } catch (error) {
        ran = { error };
        throw error;
      }
    },
  );
  signal?.throwIfAborted();
  // What another middleware threw ends the run, as it would without us.
  if (ran && 'error' in ran && isOfMiddleware(ran.error)) throw ran.error;
  if (ran && 'given' in ran && ended.plainResult === ran.result && ended.appended.length === 0)
    return ran.given;
  return fromToolCall(ended, ran, { id, name }, await loadCore());
}

/** Runs a tool that no hook applies to. What it throws would end the run, because we are around it. */
async function runPlainly(
  call: { readonly id: string; readonly name: string },
  { signal }: Runtime,
  run: () => unknown,
): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    signal?.throwIfAborted();
    if (isGraphSignal(error) || isOfMiddleware(error)) throw error;
    return failedResult(error, call, await loadCore());
  }
}

const isOfMiddleware = (error: unknown): boolean =>
  isError(error) &&
  '~brand' in error &&
  error['~brand'] === 'MiddlewareError' &&
  !isInvocationError(error);

/**
 * Arguments that do not fit are for the model to correct, however many middlewares the error came through.
 */
function isInvocationError(error: Error): boolean {
  let root: unknown = error;
  while (isError(root) && '~brand' in root && root['~brand'] === 'MiddlewareError')
    root = root.cause;
  return isError(root) && root.name === 'ToolInvocationError';
}
