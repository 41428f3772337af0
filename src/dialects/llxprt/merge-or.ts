import { defined } from '../../protocol/output.ts';
import { isRecord } from '../../protocol/output.ts';
import { FieldSet, joinTexts } from '../field-set.ts';
import type { NamedAnswer } from '../dialect.ts';
import { decidedBy, mergeCommon, specificOutput, type MergedOutputs } from './merge-common.ts';

/** Fields that are no hook's own: joined, or made from what was decided. */
const shared = [
  'hookEventName',
  'additionalContext',
  'permissionDecision',
  'permissionDecisionReason',
] as const;
const isShared = (name: string): name is (typeof shared)[number] =>
  (shared as readonly string[]).includes(name);

/**
 * OR-merge (HOOK-092 to 097, 190, 208; C-37, C-38, C-44): any block blocks, any stop stops, texts
 * are joined in plan order, and rewritten arguments are spread key by key.
 */
export function mergeOr(answers: readonly NamedAnswer[]): MergedOutputs {
  const own = new FieldSet();
  const last: Partial<Record<(typeof shared)[number], unknown>> = {};
  for (const { hook, answer } of answers)
    for (const [name, value] of Object.entries(answer.output?.hookSpecificOutput ?? {}))
      if (isShared(name)) last[name] = value;
      else if (name === 'tool_input' && isRecord(value)) own.spread(name, value, hook);
      else own.set(name, value, hook);
  const common = mergeCommon(answers);
  const { permissionDecision, permissionDecisionReason } = last;
  return {
    output: {
      ...common,
      ...specificOutput({
        ...defined<Record<string, unknown>>({
          hookEventName: last.hookEventName,
          additionalContext: joinTexts(answers.map(({ answer }) => contextOf(answer))),
          // Read into the common fields before; here they only mirror the result.
          permissionDecision: permissionDecision && (common.decision ?? permissionDecision),
          permissionDecisionReason: permissionDecisionReason && common.reason,
        }),
        ...own.toObject(),
      }),
    },
    conflicts: own.conflicts(),
    setBy: { ...own.setBy(), ...decidedBy(answers) },
  };
}

const contextOf = ({ output }: NamedAnswer['answer']): string | undefined => {
  const context = output?.hookSpecificOutput?.['additionalContext'];
  return typeof context === 'string' ? context : undefined;
};
