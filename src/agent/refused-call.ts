import { createMachine } from 'xstate';
import type { ToolCallInput } from '../../machines/tool-call.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { runMachine } from '../hooks/run-machine.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { CallOrigin } from './run-call.ts';
import type { ToolCallRequest } from './tool-call.ts';

interface RefusedCallInput extends Pick<ToolCallInput, 'id' | 'toolName' | 'toolInput'> {
  readonly refusal: ToolResult;
}

/** How a call ends that was not let begin. */
export interface RefusedCallOutcome {
  readonly status: 'refused';
  readonly reason: string;
  readonly result: ToolResult;
}

/** To observers it is a tool call like any other, but one that is over as it begins: no hook is asked. */
const refusedCallMachine = createMachine({
  id: 'toolCall',
  types: {} as {
    context: RefusedCallInput;
    input: RefusedCallInput;
    output: RefusedCallOutcome;
  },
  context: ({ input }) => input,
  initial: 'refused',
  states: { refused: { type: 'final' } },
  output: ({ context: { refusal } }) => ({
    status: 'refused',
    reason: refusal.error?.message ?? '',
    result: refusal,
  }),
});

/** Lets whoever watches know of a call that was refused before any of its hooks. */
export async function showRefused(
  config: HookSystemConfig,
  { id, name, input }: ToolCallRequest,
  refusal: ToolResult,
  within: CallOrigin | undefined,
): Promise<void> {
  const origin = { sessionId: config.getSessionId(), ...within };
  const told = { id, toolName: name, toolInput: input, refusal };
  await runMachine(refusedCallMachine, told, { inspect: config.inspect, origin });
}
