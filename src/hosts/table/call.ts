import { isRecord } from '../../base/json.ts';
import type { CallParts, CallResult, CheckedCall } from '../../core/dialects/dialect.ts';
import {
  anything,
  flag,
  object,
  optional,
  readShape,
  type Shape,
  text,
  withDefault,
} from '../../core/protocol/fields.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { patchFieldIn, patchParts } from '../patch/patch-parts.ts';
import { failureOf } from '../parts/host-call.ts';
import { toolsOf } from './tools.ts';
import type { Fields, LoadedHost } from './host-table.ts';

const toolCall = { tool_name: text, tool_input: object };

/** What an event's own fields must be, under our names. More fields are tolerated. */
const shapes: Readonly<Partial<Record<HookEventName, Shape>>> = {
  BeforeTool: toolCall,
  ToolPermission: toolCall,
  AfterTool: { ...toolCall, tool_response: anything },
  ToolFailed: { ...toolCall, error: optional(anything) },
  BeforeAgent: { prompt: text },
  BeforeModel: { llm_request: object },
  AfterModel: { llm_request: object, llm_response: object },
  AfterAgent: { stop_hook_active: withDefault(flag, () => false) },
};

/** Reads an event from an agent that speaks this dialect, into canonical form. */
export function readCall(of: LoadedHost, event: string, raw: Fields): CheckedCall {
  const { names, events } = of;
  const given = of.given?.(event, raw) ?? raw;
  const { at } = events[event]!;
  const {
    [names.event]: _,
    [names.session]: __,
    [names.folder]: ___,
    [names.transcript ?? 'transcript_path']: transcript,
    [names.call ?? 'tool_use_id']: toolCallId,
    [names.prompt]: prompt,
    [names.said ?? 'last_assistant_message']: said,
    [names.response ?? 'tool_response']: response,
    ...rest
  } = given;
  const ours = {
    ...rest,
    ...(prompt !== undefined && { prompt }),
    ...(response !== undefined && { tool_response: response }),
    ...(at === 'AfterAgent' && {
      prompt: typeof prompt === 'string' ? prompt : '',
      prompt_response: typeof said === 'string' ? said : '',
    }),
  };
  const faults: string[] = [];
  const fields = readShape(shapes[at] ?? {}, ours, faults);
  if (faults.length > 0) return { faults };
  const context = {
    toolCallId: typeof toolCallId === 'string' ? toolCallId : undefined,
    ...(typeof transcript === 'string' && { transcriptPath: transcript }),
  };
  const read = { fields: { ...fields, ...inOurTerms(at, fields, of) }, context };
  const parts = partsOf(of, fields, read.fields, given[names.folder]);
  return parts ? { ...read, parts } : read;
}

/** What a call consists of, if it does several things: guards receive each. */
function partsOf(
  { parts, patches = { tools: ['apply_patch', 'applypatch'] } }: LoadedHost,
  { tool_name: tool, tool_input: input }: Fields,
  whole: Fields,
  folder: unknown,
): CallParts | undefined {
  if (typeof tool !== 'string' || !isRecord(input)) return undefined;
  const isPatch = patches.tools.includes(tool.toLowerCase());
  const field = isPatch ? (patchFieldIn(input) ?? patches.field) : undefined;
  if (field !== undefined) return patchParts(whole, input, field, folder);
  const made = parts?.({ tool, input });
  return (
    made && {
      calls: made.calls.map((call) => ({ ...whole, tool_name: call.tool, tool_input: call.input })),
      inputWith: made.inputWith,
    }
  );
}

function inOurTerms(at: HookEventName, fields: Fields, of: LoadedHost): Fields {
  const {
    tool_name: name,
    tool_input: input,
    tool_response: response,
    error,
    source,
    reason,
    trigger,
  } = fields;
  if (typeof name === 'string' && isRecord(input)) {
    const call = toolsOf(of).fromTheirs({ tool: name, input });
    return {
      tool_name: call.tool,
      tool_input: call.input,
      ...(at === 'AfterTool' && { tool_response: resultOf(response) }),
      ...(at === 'ToolFailed' && {
        error: errorIn(error),
        tool_response: failureOf(errorIn(error)),
      }),
    };
  }
  switch (at) {
    case 'SessionStart':
      return { source: source === 'compact' ? 'compress' : (source ?? 'startup') };
    case 'SessionEnd':
      return { reason: reason ?? 'other' };
    case 'PreCompress':
    case 'PostCompress':
      return { trigger: trigger ?? 'auto' };
    case 'Notification':
      return { notification_type: '', message: '', details: {}, ...fields };
    default:
      return {};
  }
}

/** A tool's result in canonical form: some hosts give a text, others what the tool returned. */
function resultOf(response: unknown): Fields {
  if (isRecord(response)) return response;
  const said = typeof response === 'string' ? response : JSON.stringify(response ?? '');
  return { llmContent: said, returnDisplay: said };
}

function errorIn(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message } = isRecord(error) ? error : {};
  return typeof message === 'string' ? message : 'the tool failed';
}

/** Returns what is reported to such an agent, as it has it. */
export function reportCall(of: LoadedHost, { toolName = '', toolInput, toolResponse }: CallResult) {
  return {
    toolInput: toolInput && toolsOf(of).toTheirs({ tool: toolName, input: toolInput }).input,
    toolOutput: toolResponse ? textsIn(toolResponse['llmContent']) : null,
  };
}
