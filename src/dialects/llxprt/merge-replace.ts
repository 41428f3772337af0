import { defined, type HookOutput, isRecord } from '../../protocol/output.ts';
import type { Answer } from '../answer.ts';
import { FieldSet } from '../field-set.ts';
import type { NamedAnswer } from '../dialect.ts';
import { decidedBy, specificOutput, type MergedOutputs } from './merge-common.ts';

const blocks = ({ answer }: NamedAnswer): boolean => answer.decision === 'deny';
const stops = ({ answer }: NamedAnswer): boolean => answer.stop;
const sticks = (named: NamedAnswer): boolean => blocks(named) || stops(named);

/**
 * Field replacement (HOOK-098, 190; C-40, C-41): a later hook replaces what earlier ones set, field
 * by field, but never a block or a stop, nor the reasons and the response that came with it. Plain
 * text replaces nothing but the message.
 *
 * `answerNeedsBlock` says that an `llm_response` counts only from a hook that blocks or stops, as it
 * does before a model call (C-79).
 */
export function mergeReplacing(
  answers: readonly NamedAnswer[],
  { answerNeedsBlock }: { answerNeedsBlock: boolean },
): MergedOutputs {
  const blocking = answers.filter(blocks);
  const stopping = answers.filter(stops);
  const sticky = answers.filter(sticks);
  const loose = answers.filter((named) => !sticks(named));
  const said = answers.filter(({ answer }) => !answer.plainText);
  const reasoning = [blocking, stopping, answers].find(({ length }) => length > 0) ?? [];

  const common = new FieldSet();
  for (const { hook, answer } of answers)
    for (const name of ['systemMessage', 'suppressOutput'] as const)
      if (answer.output?.[name] !== undefined) common.set(name, answer.output[name], hook);

  const specific = new FieldSet();
  for (const { hook, answer } of answers)
    for (const [name, value] of Object.entries(answer.output?.hookSpecificOutput ?? {}))
      if (name === 'llm_response') continue;
      else if (name === 'llm_request' && isRecord(value)) specific.spread(name, value, hook);
      else specific.set(name, value, hook);
  const answering = (answerNeedsBlock ? sticky : [...loose, ...sticky]).filter(
    ({ answer }) => responseOf(answer) !== undefined,
  );
  const isChanged = answering.some(({ answer }) => saysMore(answer));
  for (const { hook, answer } of answering) {
    const { text: _, candidates: __, ...rest } = responseOf(answer)!;
    // A copy of what the hook was given takes nothing back that another one changed.
    const isCopy = isChanged && answer.repeatsResponse === true;
    specific.spread('llm_response', isCopy ? rest : responseOf(answer)!, hook);
  }

  return {
    output: {
      ...defined<HookOutput>({
        decision: last(blocking, 'decision') ?? last(said, 'decision') ?? last(answers, 'decision'),
        reason: last(reasoning, 'reason'),
        continue: stopping.length > 0 ? false : last(answers, 'continue'),
        stopReason: last(stopping, 'stopReason'),
      }),
      ...common.toObject(),
      ...specificOutput(specific.toObject()),
    },
    conflicts: [...common.conflicts(), ...specific.conflicts()],
    setBy: { ...common.setBy(), ...specific.setBy(), ...decidedBy(answers) },
  };
}

function responseOf({ output }: Answer): Readonly<Record<string, unknown>> | undefined {
  const response = output?.hookSpecificOutput?.['llm_response'];
  return isRecord(response) ? response : undefined;
}

/** Whether an answer has other texts than those that its hook was given. */
const saysMore = (answer: Answer): boolean =>
  answer.repeatsResponse !== true && responseOf(answer)?.['candidates'] !== undefined;

/** The last value of a field that says something. */
function last<Name extends 'decision' | 'reason' | 'continue' | 'stopReason'>(
  answers: readonly NamedAnswer[],
  name: Name,
): HookOutput[Name] | undefined {
  const values = answers.map(({ answer }) => answer.output?.[name]);
  return values.findLast((value) => value !== undefined && value !== null && value !== '');
}
