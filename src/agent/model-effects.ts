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
  if (!(output instanceof BeforeToolSelectionHookOutput) || !isRecord(request)) return request;
  const before = request.config ?? {};
  const config = output.applyToolConfigModifications(before);
  return config === before ? request : { ...request, config };
}

/** The request with the changes of BeforeModel hooks; the same one when they made none. */
export const withChanges = <Request extends GenAIRequest>(
  request: Request,
  output: Output,
): Request =>
  output instanceof BeforeModelHookOutput ? output.applyLLMRequestModifications(request) : request;

/** The answer that BeforeModel hooks have in the model's place. */
export const syntheticResponse = (output: Output): GenAIResponse | undefined =>
  output instanceof BeforeModelHookOutput ? output.getSyntheticResponse() : undefined;

/** The response as AfterModel hooks left it. Tool calls that it lost to a hook are told of (C-86). */
export function revisedResponse(
  response: GenAIResponse,
  output: Output,
  onWarning: WarningSink | undefined,
): GenAIResponse {
  const revised =
    output instanceof AfterModelHookOutput ? output.getModifiedResponse(response) : undefined;
  if (revised === undefined) return response;
  if (!output?.shouldStopExecution() && dropsFunctionCalls(response, revised))
    warn(
      onWarning,
      'AfterModel: the changed response has lost its tool calls, for hooks see text only; leave a response with tool calls as it is',
    );
  return revised;
}
