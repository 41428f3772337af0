import { isHiddenElsewhere } from './hidden-elsewhere.ts';
import { isRecord } from '../base/json.ts';
import { redactor } from '../settings/redaction/redactor.ts';

/** The parts of a tool's result that somebody reads. */
const shownParts = ['llmContent', 'returnDisplay'];

/** The text of a piece of content. */
const textOf = (piece: unknown): string | undefined => {
  const text = isRecord(piece) ? piece['text'] : piece;
  return typeof text === 'string' ? text : undefined;
};

/** Replaces the secrets in a tool's result, so that neither the model nor the user's screen gets them. */
export function redactResult(event: {
  readonly tool_response?: unknown;
  readonly session_id?: unknown;
}): object | undefined {
  const { tool_response: response } = event;
  if (!isRecord(response) || isHiddenElsewhere(event.session_id)) return undefined;
  const { text } = redactor();
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value, Number.POSITIVE_INFINITY);
    if (Array.isArray(value)) return hiddenOver(value.map(hidden), value);
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, key === 'data' ? one : hidden(one)]),
      );
    return value;
  };
  /** A secret may be split over pieces, of which none looks like one. */
  const hiddenOver = (pieces: readonly unknown[], given: readonly unknown[]): unknown => {
    const texts = given.flatMap((piece) => textOf(piece) ?? []);
    if (texts.length < 2) return pieces;
    const whole = text(texts.join(''), Number.POSITIVE_INFINITY);
    if (whole === pieces.flatMap((piece) => textOf(piece) ?? []).join('')) return pieces;
    let isFirst = true;
    return pieces.map((piece) => {
      if (textOf(piece) === undefined) return piece;
      const now = isFirst ? whole : '';
      isFirst = false;
      return isRecord(piece) ? { ...piece, text: now } : now;
    });
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
