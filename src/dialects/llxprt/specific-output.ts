import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../protocol/events.ts';
import { ignored } from '../../protocol/notes.ts';
import { decisionWanted, isDecision, isRecord } from '../../protocol/output.ts';
import { normalizeHookLLMRequest, normalizeHookToolConfig } from '../../translate/request.ts';
import { normalizeHookLLMResponse, repeatsResponse } from '../../translate/response.ts';

type Specific = Readonly<Record<string, unknown>>;

/** The valid form of a field, or undefined when nothing of it can be used; what was left out is noted. */
type Reader = (value: unknown, name: string, notes: string[], told: HookPayload) => unknown;

const readers: Readonly<Partial<Record<HookEventName, Readonly<Record<string, Reader>>>>> = {
  BeforeTool: {
    tool_input: fitting(isRecord, 'an object'),
    permissionDecision: fitting(isDecision, decisionWanted),
    permissionDecisionReason: fitting(isText, 'a string'),
  },
  BeforeModel: { llm_request: readRequest, llm_response: readResponse },
  AfterModel: { llm_response: readRevisedResponse },
  BeforeToolSelection: { toolConfig: readToolConfig },
};
const forAllEvents: Readonly<Record<string, Reader>> = {
  additionalContext: fitting(isText, 'a string'),
};

/**
 * An event's own part of a hook's output in its valid form, before anything is merged or chained
 * (C-31, C-71 to C-73). Null is a field left out; a field the event does not know is passed through.
 * `told` is what the hook was told of the event: a response that says the same is a repetition.
 */
export function readSpecific(
  event: HookEventName,
  specific: Specific,
  told: HookPayload = {},
): { specific: Specific; notes: string[]; repeatsResponse?: true } {
  const notes: string[] = [];
  let read: Specific = specific;
  for (const [name, reader] of Object.entries({ ...forAllEvents, ...readers[event] })) {
    if (!Object.hasOwn(specific, name)) continue;
    const value = specific[name];
    const { [name]: _, ...others } = read;
    const fitted = value === null ? undefined : reader(value, name, notes, told);
    read = fitted === undefined ? others : { ...others, [name]: fitted };
  }
  const isRepeated =
    event === 'AfterModel' && repeatsResponse(read['llm_response'], told['llm_response']);
  return { specific: read, notes, ...(isRepeated && { repeatsResponse: true }) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function fitting(fits: (value: unknown) => boolean, wanted: string): Reader {
  return (value, name, notes) => {
    if (fits(value)) return value;
    notes.push(ignored(`"${name}"`, value, wanted));
    return undefined;
  };
}

function readRequest(value: unknown, _name: string, notes: string[]) {
  const read = normalizeHookLLMRequest(value);
  notes.push(...read.notes);
  return unlessEmpty(read.request);
}

function readResponse(value: unknown, _name: string, notes: string[]) {
  return wholeResponse(normalizeHookLLMResponse(value), notes);
}

/** Beside a text, candidates that were only copied from what the hook was given say nothing (C-73). */
function readRevisedResponse(value: unknown, _name: string, notes: string[], told: HookPayload) {
  return wholeResponse(normalizeHookLLMResponse(value, told['llm_response']), notes);
}

/** A text alone stands for one whole candidate, so that it replaces all that another hook answered (C-73). */
function wholeResponse(
  { response = {}, notes: found }: ReturnType<typeof normalizeHookLLMResponse>,
  notes: string[],
) {
  notes.push(...found);
  const { text, candidates } = response;
  if (text === undefined || candidates !== undefined) return unlessEmpty(response);
  const content = { role: 'model', parts: text === '' ? [] : [text] };
  return { ...response, candidates: [{ content, finishReason: 'STOP' }] };
}

function readToolConfig(value: unknown, name: string, notes: string[]) {
  const read = normalizeHookToolConfig(value, name);
  notes.push(...read.notes);
  return unlessEmpty(read.toolConfig);
}

const unlessEmpty = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length === 0 ? undefined : fields;
