import { isRecord } from '../base/json.ts';
import { redactor } from '../settings/redaction/redactor.ts';

/** The parts of a tool's result that somebody reads. */
const shownParts = ['llmContent', 'returnDisplay'];

/** Replaces the secrets in a tool's result, so that neither the model nor the user's screen gets them. */
export function redactResult(event: { readonly tool_response?: unknown }): object | undefined {
  const { tool_response: response } = event;
  if (!isRecord(response)) return undefined;
  const { text } = redactor();
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value, Number.POSITIVE_INFINITY);
    if (Array.isArray(value)) return value.map(hidden);
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, key === 'data' ? one : hidden(one)]),
      );
    return value;
  };
  const changed = Object.fromEntries(
    shownParts.filter((key) => key in response).map((key) => [key, hidden(response[key])]),
  );
  const isSame = Object.entries(changed).every(
    ([key, value]) => JSON.stringify(value) === JSON.stringify(response[key]),
  );
  if (isSame) return undefined;
  return {
    systemMessage: 'guards/secrets: secrets in the result were replaced by [redacted].',
    hookSpecificOutput: { hookEventName: 'AfterTool', tool_response: { ...response, ...changed } },
  };
}
