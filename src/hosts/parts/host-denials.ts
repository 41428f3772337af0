import { isRecord } from '../../base/json.ts';
import { defaultReason, type Wants } from '../../core/answers/answer.ts';
import { isDenyingText } from './deciding-words.ts';
import { embeddedObjects } from './printed-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A denial or a stop in an answer that its own host would not read as one. */
export interface LostDenial {
  readonly decision?: 'deny';
  readonly reason?: string;
  readonly stop?: true;
  readonly stopReason?: string;
}

/**
 * Returns the evident denial or stop in an object: by `decision`, `permissionDecision` or `continue`,
 * wherever these are placed.
 */
export function denialIn(object: Fields): LostDenial | undefined {
  const { hookSpecificOutput: inner } = object;
  const specific = isRecord(inner) ? inner : {};
  const denies = [object, specific].some(
    ({ decision, permissionDecision }) =>
      isDenyingText(decision) || isDenyingText(permissionDecision),
  );
  const { continue: continues, stopReason } = object;
  const stop = continues === false && {
    stop: true as const,
    ...(typeof stopReason === 'string' && { stopReason }),
  };
  if (!denies) return stop || undefined;
  const reasons = [
    specific['permissionDecisionReason'],
    object['reason'],
    specific['reason'],
    object['permissionDecisionReason'],
  ];
  const reason = reasons.find((one) => typeof one === 'string' && one !== '');
  return { decision: 'deny', ...(typeof reason === 'string' && { reason }), ...stop };
}

/** A text with more objects than this is not a hook's answer. */
const mostObjects = 20;

/** Returns the evident denial or stop of the first object in a text that has one. */
export function denialAround(text: string): LostDenial | undefined {
  let seen = 0;
  for (const json of embeddedObjects(text)) {
    if (++seen > mostObjects) break;
    try {
      const object: unknown = JSON.parse(json);
      const denial = isRecord(object) ? denialIn(object) : undefined;
      if (denial) return denial;
    } catch {
      // It has escapes that JSON does not allow.
    }
  }
  return undefined;
}

/** Denies for a text around an object that evidently denies, which its host would not read. */
export function denialInText(text: string, host: string): Wants | undefined {
  const lost = denialAround(text);
  return lost === undefined
    ? undefined
    : {
        decision: 'deny',
        reason: lost.reason ?? lost.stopReason ?? defaultReason,
        notes: [],
        ignored: {
          host,
          what: 'denial',
          why: 'it is not one JSON object',
          fix: 'print that object and nothing else',
        },
      };
}
