import type { GuardSettings } from '../settings/files/read-guards.ts';
import { effectsOf, type CallPlace } from './reading/call-effects.ts';
import { findingsIn } from './judge.ts';
import { sentenceOf, type RuledFinding } from './rules/findings.ts';
import type { GuardName } from './rules/rule.ts';
import { readToolCall } from './reading/tool-call.ts';
import { isRecord } from '../base/json.ts';
import { currentFolder, keptInProcess } from '../base/surroundings.ts';

/** The part of an event that guards read. */
export interface GuardedEvent {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly cwd?: unknown;
  readonly session_id?: unknown;
}

/** What a guard answers: nothing, or a decision with its reason. */
export interface GuardAnswer {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  readonly systemMessage?: string;
}

const mostReasons = 3;

/** What is being found out now: several guards judge the same call at once. */
const underWay = keptInProcess(() => new Map<string, Promise<readonly RuledFinding[]>>());

/** Judges a tool call by the rules of one guard. */
export async function judgeCall(
  guard: GuardName,
  event: GuardedEvent,
  settings: GuardSettings,
  place: Omit<CallPlace, 'cwd'>,
): Promise<GuardAnswer | undefined> {
  const strictness = settings.strictness[guard] ?? 'off';
  if (strictness === 'off') return undefined;
  const findings = (await findingsOf(event, settings, place)).filter(
    (finding) => finding.guard === guard,
  );
  const counted = findings.filter(({ allowedBy }) => allowedBy === undefined);
  if (counted.length === 0)
    return findings.length === 0 ? undefined : { systemMessage: exceptionsOf(findings) };
  const denials = strictness === 'on' ? counted.filter(({ answer }) => answer === 'deny') : [];
  const spoken = denials.length > 0 ? denials : counted;
  return {
    decision: denials.length > 0 ? 'deny' : 'ask',
    reason: spoken.slice(0, mostReasons).map(sentenceOf).join('\n'),
  };
}

const exceptionsOf = (findings: readonly RuledFinding[]): string =>
  findings
    .map(
      ({ rule, part, allowedBy }) =>
        `guards: an exception to ${rule} let through ${part === '' ? 'this' : `\`${part}\``}${allowedBy?.why === undefined ? '' : ` (${allowedBy.why})`}`,
    )
    .join('\n');

function findingsOf(
  event: GuardedEvent,
  settings: GuardSettings,
  place: Omit<CallPlace, 'cwd'>,
): Promise<readonly RuledFinding[]> {
  const { tool_name: name, tool_input: input, session_id: session } = event;
  const cwd = typeof event.cwd === 'string' && event.cwd !== '' ? event.cwd : currentFolder();
  const key = JSON.stringify([name, input, cwd, session, settings]);
  const begun = underWay();
  const findings = begun.get(key) ?? judge().finally(() => begun.delete(key));
  begun.set(key, findings);
  return findings;

  async function judge(): Promise<readonly RuledFinding[]> {
    const call = readToolCall(String(name), isRecord(input) ? input : {});
    const at = { ...place, cwd };
    return findingsIn(effectsOf(call, at), at, settings, String(session));
  }
}
