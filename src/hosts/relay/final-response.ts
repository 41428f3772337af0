import type { HookEventName } from '../../core/protocol/events.ts';
import type { DefaultHookOutput } from '../../core/protocol/output.ts';
import { defaultHookTranslator } from '../../core/translate/genai-v1.ts';
import { AfterModelHookOutput, BeforeModelHookOutput } from '../../core/translate/model-outputs.ts';

/** The response that replaces the model's; before a call it counts only with a block or a stop. */
export function finalResponse(event: HookEventName, output: DefaultHookOutput) {
  const response =
    event === 'AfterModel'
      ? new AfterModelHookOutput(output).getModifiedResponse()
      : event === 'BeforeModel' && (output.isBlockingDecision() || output.shouldStopExecution())
        ? new BeforeModelHookOutput(output).getSyntheticResponse()
        : undefined;
  return response ? defaultHookTranslator.toHookLLMResponse(response) : null;
}
