import type { GuardSettings } from '../../settings/files/read-guards.ts';
import { allows, sentenceOf, type RuledFinding } from '../rules/findings.ts';
import { projectOf } from '../reading/call-effects.ts';
import type { Finding } from '../rules/rule.ts';
import { flowRules } from '../rules/flow-rules.ts';
import { flowOf, note, planted, type Label, type LabelOrigin, type SessionFlow } from './labels.ts';
import { namesIn } from './names.ts';
import { callOf, sessionOf, stringOf, type FlowEvent } from './flow-event.ts';
import { sentBy, type Sent } from './what-is-sent.ts';

/** What the guard answers. */
export interface FlowAnswer {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  readonly systemMessage?: string;
}

/** How many words of a prompt are remembered. */
const mostWords = 500;

/** Notes whom the user named. */
export function notePrompt(event: FlowEvent): undefined {
  const prompt = stringOf(event.prompt);
  const words = prompt.toLowerCase().match(/[\p{L}\d][\p{L}\d._@-]+/gu) ?? [];
  note(sessionOf(event), {
    asked: [...new Set([...namesIn(prompt), ...words.slice(0, mostWords)])],
  });
}

/** Judges what a call would send by what its session has read. */
export function judgeFlow(event: FlowEvent, settings: GuardSettings): FlowAnswer | undefined {
  const { tool, input, cwd, effects } = callOf(event);
  const sends = sentBy(tool, input, effects);
  if (sends.length === 0) return undefined;
  const session = sessionOf(event);
  const flow = flowOf(session);
  const found = sends.flatMap((one) => findingFor(one, flow) ?? []);
  if (found.length === 0) return undefined;
  const project = projectOf(cwd);
  const ruled = found.map((finding): RuledFinding => {
    const about = flowRules.find(({ id }) => id === finding.rule)!;
    return { ...finding, guard: 'flow', answer: about.answer, about };
  });
  const counted = ruled.filter(
    (finding) => !settings.allow.some((one) => allows(one, finding, session, project)),
  );
  if (counted.length === 0)
    return { systemMessage: `guards: an exception let through \`${ruled[0]!.part}\`` };
  const isDenied =
    settings.strictness.flow !== 'ask' && counted.some(({ answer }) => answer === 'deny');
  const spoken = counted.filter(({ answer }) => !isDenied || answer === 'deny');
  return {
    decision: isDenied ? 'deny' : 'ask',
    reason: [...new Set(spoken.map(sentenceOf))].slice(0, 3).join('\n'),
  };
}

function findingFor(one: Sent, { origins, read, asked }: SessionFlow): Finding | undefined {
  const firstOf = (label: Label): LabelOrigin | undefined =>
    origins.find((origin) => origin.label === label);
  const to = one.to === '' ? 'another machine' : one.to.slice(0, 80);
  const finding = (rule: (typeof flowRules)[number]['id'], why: string): Finding => ({
    rule,
    part: one.by.slice(0, 200),
    does: `sends something to ${to}, and ${why}`,
  });
  const [secret, untrusted] = [firstOf('secret'), firstOf('untrusted')];
  const instructions = origins.find(({ from }) => from.startsWith(planted));
  const isAsked = (name: string): boolean =>
    asked.has(name) ||
    [...asked].some((known) => known.includes('.') && name.endsWith(`.${known}`)) ||
    // Whoever plants instructions can choose an address that looks like somebody's.
    (instructions === undefined && isOfAskedPerson(name, asked));
  if (one.isSecret) return finding('flow/secret-out', 'this call reads a secret');
  // The user has said who should get it.
  if (!one.isData || (one.recipients.length > 0 && one.recipients.every(isAsked))) return undefined;
  if (secret !== undefined)
    return untrusted === undefined
      ? finding('flow/secret-out', `this session has read ${told(secret)}`)
      : finding(
          'flow/secret-and-untrusted',
          `this session has read ${told(secret)} and ${told(untrusted)}`,
        );
  const unasked = one.names.filter((name) => !isAsked(name));
  if (instructions !== undefined && (unasked.length > 0 || one.names.length === 0))
    return finding('flow/untrusted-out', `this session has read ${told(instructions)}`);
  const learned = unasked.find((name) => read.has(name));
  if (learned === undefined || (untrusted === undefined && !one.isUpload)) return undefined;
  return finding('flow/untrusted-out', `only a result of a tool names ${learned}`);
}

/** Whether an address is that of a person whom the user named: `sarah.connor@…` for Sarah Connor. */
function isOfAskedPerson(address: string, asked: ReadonlySet<string>): boolean {
  const words = /^([^@]+)@/.exec(address)?.[1]?.match(/[a-z]{3,}/g) ?? [];
  return words.length > 0 && words.every((word) => asked.has(word));
}

/** Says where a label came from. */
const told = ({ from, tool, at }: LabelOrigin): string => `${from} (${tool}, ${at.slice(11, 16)})`;
