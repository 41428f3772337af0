import type { HookPayload } from '../../../machines/hook-event.ts';
import { hookPointOf, type HookEventName, type Slot } from '../../core/points/hook-points.ts';
import type { HookToolConfig, HookToolMode } from '../../core/protocol/llm.ts';
import type { HookDecision, HookOutput } from '../../core/protocol/output.ts';
import type { Answer, NamedAnswer } from '../../core/answers/answer.ts';
import { emptyVerdict, joinTexts, FieldSet, counts } from '../../core/answers/merge-effects.ts';
import type { Change, Verdict, HookConflict } from '../../core/answers/verdict.ts';
import { defined, isRecord } from '../../base/json.ts';

/**
 * Merges the answers of an event's hooks, in plan order, into one verdict. The output of a failed hook is
 * left out, unless its failure denies. `choose` merges several tool choices into one.
 */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  choose?: ChooseTools,
): Verdict {
  const counted = answers.filter(({ answer }) => counts(answer) && answer.output !== undefined);
  return counted.length === 0
    ? emptyVerdict
    : verdictOf(event, counted, mergeOutputs(event, counted, choose));
}

/** Merges their outputs by the rules of the event. */
function mergeOutputs(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  choose?: ChooseTools,
): MergedOutputs {
  switch (event) {
    case 'BeforeModel':
      return mergeReplacing(answers, { answerNeedsBlock: true });
    case 'AfterModel':
    case 'SessionEnd':
    case 'PreCompress':
    case 'Notification':
      return mergeReplacing(answers, { answerNeedsBlock: false });
    case 'BeforeToolSelection':
      return mergeUnion(answers, choose);
    default:
      return mergeOr(answers);
  }
}

/** Fields of `hookSpecificOutput` that are common to all events or belong to the decision. */
const generalFields: readonly string[] = [
  'additionalContext',
  'permissionDecision',
  'permissionDecisionReason',
];

function verdictOf(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  { output, denialReason, conflicts, setBy }: MergedOutputs,
): Verdict {
  const { slots } = hookPointOf(event);
  const specific = Object.entries(output.hookSpecificOutput ?? {});
  const isSlot = (name: string): name is Slot => (slots as readonly string[]).includes(name);
  const changes: Partial<Record<Slot, Change>> = {};
  const own: [string, unknown][] = [];
  for (const [name, value] of specific)
    if (isSlot(name) && isRecord(value)) changes[name] = { patch: value };
    else if (!generalFields.includes(name)) own.push([name, value]);
  const context = output.hookSpecificOutput?.['additionalContext'];
  const decision = strictest(answers.map(({ answer }) => answer.decision));
  const reason = (decision === 'deny' && denialReason) || output.reason;
  return {
    ...(decision && { decision }),
    ...(reason && { reason }),
    stop: output.continue === false,
    ...(output.stopReason && { stopReason: output.stopReason }),
    ...(typeof context === 'string' && context !== '' && { context }),
    ...(output.systemMessage && { message: output.systemMessage }),
    hide: output.suppressOutput === true,
    changes,
    followUps: [],
    // A hook may name a field `__proto__`.
    own: Object.fromEntries(own),
    conflicts,
    setBy,
    output,
  };
}

const strictest = (given: readonly Answer['decision'][]): Answer['decision'] =>
  (['deny', 'ask', 'allow'] as const).find((decision) => given.includes(decision));

/** Several outputs merged, with the hooks that set each field. */
interface MergedOutputs {
  readonly output: HookOutput;
  /** The reasons of the hooks that deny, whereas `output` has those of all hooks. */
  readonly denialReason?: string | undefined;
  readonly conflicts: readonly HookConflict[];
  readonly setBy: Readonly<Record<string, string>>;
}

/** Merges the common fields of several outputs under OR rules. */
function mergeCommon(answers: readonly NamedAnswer[]): HookOutput {
  const outputs = answers.map(({ answer }) => answer.output ?? {});
  const stopping = outputs.filter((output) => output.continue === false);
  return defined<HookOutput>({
    decision: mergeDecisions(answers, stopping.length > 0),
    reason: joinTexts(outputs.map((output) => output.reason)),
    continue: stopping.length > 0 ? false : undefined,
    stopReason: joinTexts(stopping.map((output) => output.stopReason)),
    suppressOutput: outputs.some((output) => output.suppressOutput === true) ? true : undefined,
    systemMessage: joinTexts(outputs.map((output) => output.systemMessage)),
  });
}

const denialReasonOf = (answers: readonly NamedAnswer[]): string | undefined =>
  joinTexts(answers.filter(blocks).map(({ answer }) => answer.output?.reason));

/** A denial uses the last denying hook's word; a stop alone decides nothing. */
function mergeDecisions(answers: readonly NamedAnswer[], stops: boolean): HookDecision | undefined {
  const denial = answers.findLast(({ answer }) => answer.decision === 'deny');
  if (denial) return denial.answer.output?.decision ?? 'deny';
  if (stops) return undefined;
  return answers.some(({ answer }) => answer.decision === 'ask') ? 'ask' : 'allow';
}

/** Returns the hook that blocks and the one that stops: the last of each, whose word is used. */
export function decidedBy(answers: readonly NamedAnswer[]): Record<string, string> {
  return defined<Record<string, string>>({
    decision: answers.findLast(({ answer }) => answer.decision === 'deny')?.hook,
    continue: answers.findLast(({ answer }) => answer.stop)?.hook,
  });
}

/** Returns `hookSpecificOutput` as a part of an output; absent when it is empty. */
export const specificOutput = (
  fields: Readonly<Record<string, unknown>>,
): Pick<HookOutput, 'hookSpecificOutput'> =>
  Object.keys(fields).length === 0 ? {} : { hookSpecificOutput: fields };

/** Fields that do not belong to one hook: they are joined, or derived from the decision. */
const shared = [
  'hookEventName',
  'additionalContext',
  'permissionDecision',
  'permissionDecisionReason',
] as const;
const isShared = (name: string): name is (typeof shared)[number] =>
  (shared as readonly string[]).includes(name);

/**
 * Merges under OR rules: any block blocks, any stop stops,
 * texts are joined in plan order, and rewritten arguments are spread key by key.
 */
function mergeOr(answers: readonly NamedAnswer[]): MergedOutputs {
  const own = new FieldSet();
  const latest: Partial<Record<(typeof shared)[number], unknown>> = {};
  for (const { hook, answer } of answers)
    for (const [name, value] of Object.entries(answer.output?.hookSpecificOutput ?? {}))
      if (isShared(name)) latest[name] = value;
      else if (name === 'tool_input' && isRecord(value)) own.spread(name, value, hook);
      else own.set(name, value, hook);
  const common = mergeCommon(answers);
  const { permissionDecision, permissionDecisionReason } = latest;
  return {
    output: {
      ...common,
      ...specificOutput({
        ...defined<Record<string, unknown>>({
          hookEventName: latest.hookEventName,
          additionalContext: joinTexts(answers.map(({ answer }) => contextOf(answer))),
          // These were already read into the common fields; here they only mirror the result.
          permissionDecision: permissionDecision && (common.decision ?? permissionDecision),
          permissionDecisionReason: permissionDecisionReason && common.reason,
        }),
        ...own.toObject(),
      }),
    },
    denialReason: denialReasonOf(answers),
    conflicts: own.conflicts(),
    setBy: { ...own.setBy(), ...decidedBy(answers) },
  };
}

const contextOf = ({ output }: NamedAnswer['answer']): string | undefined => {
  const context = output?.hookSpecificOutput?.['additionalContext'];
  return typeof context === 'string' ? context : undefined;
};

const blocks = ({ answer }: NamedAnswer): boolean => answer.decision === 'deny';
const stops = ({ answer }: NamedAnswer): boolean => answer.stop;
const sticks = (named: NamedAnswer): boolean => blocks(named) || stops(named);

/**
 * Merges by field replacement: a later hook replaces what earlier ones set,
 * field by field, but never a block or a stop, nor the reasons and the response that came with it. Plain
 * text replaces only the message.
 *
 * With `answerNeedsBlock`, an `llm_response` counts only from a hook that blocks or stops, as it does
 * before a model call.
 */
function mergeReplacing(
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
    // A copy of what the hook received does not take back another hook's change.
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

/** Whether an answer has other texts than those that its hook received. */
const saysMore = (answer: Answer): boolean =>
  answer.repeatsResponse !== true && responseOf(answer)?.['candidates'] !== undefined;

/** Returns the last value of a field that is not empty. */
function last<Name extends 'decision' | 'reason' | 'continue' | 'stopReason'>(
  answers: readonly NamedAnswer[],
  name: Name,
): HookOutput[Name] | undefined {
  const values = answers.map(({ answer }) => answer.output?.[name]);
  return values.findLast((value) => value !== undefined && value !== null && value !== '');
}

interface NamedConfig {
  readonly hook: string;
  readonly config: HookToolConfig;
}

const strictestFirst = ['NONE', 'ANY', 'AUTO'] satisfies HookToolMode[];

/** Merges the tool choices of several hooks into one. */
type ChooseTools = (configs: readonly HookToolConfig[]) => HookToolConfig | undefined;

/**
 * Merges tool selections: names are united, the strictest mode
 * wins, NONE empties the list.
 */
function mergeUnion(
  answers: readonly NamedAnswer[],
  choose: ChooseTools = mergeToolConfigs,
): MergedOutputs {
  const specific = new FieldSet();
  const configs: NamedConfig[] = [];
  for (const { hook, answer } of answers)
    for (const [name, value] of Object.entries(answer.output?.hookSpecificOutput ?? {}))
      if (name === 'toolConfig' && isRecord(value)) configs.push({ hook, config: value });
      else specific.set(name, value, hook);
  const toolConfig = choose(configs.map(({ config }) => config));
  const moded = configs.filter(({ config }) => config.mode !== undefined);
  const winner = moded.find(({ config }) => config.mode === toolConfig?.mode)?.hook;
  const conflict: HookConflict[] =
    winner !== undefined && new Set(moded.map(({ config }) => config.mode)).size > 1
      ? [{ field: 'toolConfig.mode', hooks: moded.map(({ hook }) => hook), winner }]
      : [];
  return {
    output: {
      ...mergeCommon(answers),
      ...specificOutput({ ...specific.toObject(), ...(toolConfig && { toolConfig }) }),
    },
    denialReason: denialReasonOf(answers),
    conflicts: [...conflict, ...specific.conflicts()],
    setBy: {
      ...specific.setBy(),
      ...(winner !== undefined && { 'toolConfig.mode': winner }),
      ...decidedBy(answers),
    },
  };
}

/** Without a config there is no config, without a mode no mode, without a list no list. */
export function mergeToolConfigs(configs: readonly HookToolConfig[]): HookToolConfig | undefined {
  const mode = strictestFirst.find((candidate) =>
    configs.some((config) => config.mode === candidate),
  );
  if (mode === 'NONE') return { mode, allowedFunctionNames: [] };
  const lists = configs.flatMap(({ allowedFunctionNames }) =>
    allowedFunctionNames === undefined ? [] : [allowedFunctionNames],
  );
  if (mode === undefined && lists.length === 0) return undefined;
  return {
    ...(mode && { mode }),
    ...(lists.length > 0 && { allowedFunctionNames: [...new Set(lists.flat())].toSorted() }),
  };
}

/** Allows only the tools that every hook allows, in the strictest mode; if none is left, no tool at all. */
export function intersectToolConfigs(
  configs: readonly HookToolConfig[],
): HookToolConfig | undefined {
  const merged = mergeToolConfigs(configs);
  if (merged?.allowedFunctionNames === undefined) return merged;
  const left = merged.allowedFunctionNames.filter((name) =>
    configs.every(({ allowedFunctionNames: names }) => names?.includes(name) ?? true),
  );
  return left.length === 0
    ? { mode: 'NONE', allowedFunctionNames: [] }
    : { ...merged, allowedFunctionNames: left };
}

/**
 * Returns what the next hook of a sequence receives: the changes so far, spread over the input key by
 * key. Only a successful hook changes anything.
 */
export function chainPayload(
  event: HookEventName,
  payload: HookPayload,
  answer: Answer,
): HookPayload {
  const specific = answer.output?.hookSpecificOutput;
  if (!answer.success || specific === undefined) return payload;
  switch (event) {
    case 'BeforeTool':
      return spread(payload, 'tool_input', specific['tool_input']);
    case 'BeforeModel':
      return spread(payload, 'llm_request', specific['llm_request']);
    // A later redactor must not undo an earlier one.
    case 'AfterModel':
      return spread(payload, 'llm_response', specific['llm_response']);
    case 'BeforeAgent': {
      const context = specific['additionalContext'];
      return typeof context === 'string' && context !== ''
        ? { ...payload, prompt: `${String(payload['prompt'])}\n\n${context}` }
        : payload;
    }
    default:
      return payload;
  }
}

function spread(payload: HookPayload, key: string, change: unknown): HookPayload {
  if (!isRecord(change)) return payload;
  const before = payload[key];
  return { ...payload, [key]: { ...(isRecord(before) ? before : {}), ...change } };
}
