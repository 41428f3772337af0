import { warn, type WarningSink } from '../log.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import { isRecord } from '../protocol/output.ts';
import type { GenAIRequest, GenAIResponse } from '../translate/genai-types.ts';
import { dropsFunctionCalls } from '../translate/genai-v1.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from '../translate/model-outputs.ts';

type Output = DefaultHookOutput | undefined;

/** The request with the tool config of BeforeToolSelection hooks; the same one when they gave none. */
export function withToolConfig<Request extends GenAIRequest>(
  request: Request,
  output: Output,
): Request {
  if (output === undefined || !isRecord(request)) return request;
  const before = request.config ?? {};
  const config = new BeforeToolSelectionHookOutput(output).applyToolConfigModifications(before);
  return config === before ? request : { ...request, config };
}

/** The request with the changes of BeforeModel hooks; the same one when they made none. */
export const withChanges = <Request extends GenAIRequest>(
  request: Request,
  output: Output,
): Request =>
  output ? new BeforeModelHookOutput(output).applyLLMRequestModifications(request) : request;

/** The answer that BeforeModel hooks have in the model's place. */
export const syntheticResponse = (output: Output): GenAIResponse | undefined =>
  output && new BeforeModelHookOutput(output).getSyntheticResponse();

/** The response as AfterModel hooks left it. The model's tool calls stay unless a hook blocks or stops; those that are lost are reported (C-86). */
export function revisedResponse(
  response: GenAIResponse,
  output: Output,
  onWarning: WarningSink | undefined,
): GenAIResponse {
  const revised = output && new AfterModelHookOutput(output).getModifiedResponse(response);
  if (revised === undefined) return response;
  if (!output?.shouldStopExecution() && dropsFunctionCalls(response, revised))
    warn(
      onWarning,
      'AfterModel: the changed response has lost tool calls of the model, because a hook blocked it or left out the candidate they belong to',
    );
  return revised;
}
