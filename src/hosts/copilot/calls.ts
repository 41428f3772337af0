import type { HookPayload } from '../../../machines/hook-event.ts';
import { defined, fieldsOf, isRecord, inTable } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import {
  flag,
  object,
  oneOf,
  optional,
  text,
  withDefault,
  type Field,
  type Shape,
} from '../../core/protocol/fields.ts';
import { patchFieldIn, patchParts } from '../patch/patch-parts.ts';
import { checkedCall, failureOf } from '../parts/host-call.ts';
import {
  copilotEventNamed,
  copilotEventOf,
  type CopilotEvent,
  type CopilotPointName,
} from './events.ts';
import {
  fromCopilotInput,
  fromCopilotResult,
  fromCopilotTool,
  toCopilotInput,
  toCopilotResult,
  toCopilotTool,
  toPascalTool,
} from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Copilot's words for our sources, reasons and kinds. If several of ours share one of theirs, theirs
 * becomes the first of them.
 */
const words: Readonly<
  Partial<Record<CopilotPointName, readonly (readonly [ours: string, theirs: string])[]>>
> = {
  sessionStart: [
    ['startup', 'new'],
    ['clear', 'new'],
    ['compress', 'new'],
  ],
  sessionEnd: [
    ['exit', 'complete'],
    ['prompt_input_exit', 'user_exit'],
    ['clear', 'user_exit'],
    ['logout', 'user_exit'],
    ['other', 'complete'],
  ],
  notification: [['ToolPermission', 'permission_prompt']],
};

/** Returns Copilot's word for one of ours; any other stays as it is. */
const toCopilotWord = (point: CopilotPointName, ours: unknown): unknown =>
  words[point]?.find(([own]) => own === ours)?.[1] ?? ours;

/** The reverse of `toCopilotWord`. */
const fromCopilotWord = (point: CopilotPointName, theirs: unknown): unknown =>
  words[point]?.find(([, word]) => word === theirs)?.[0] ?? theirs;

/** The field of these events that has words of Copilot's own. */
const worded: Readonly<Partial<Record<CopilotPointName, string>>> = {
  sessionStart: 'source',
  sessionEnd: 'reason',
  notification: 'notification_type',
};

const withoutNames = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));

/**
 * Returns what a hook receives, in the form that the name of its event asks for (as measured on the
 * host).
 */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = copilotEventOf(hook);
  const { session_id, cwd, timestamp } = payload;
  const own = ownFields(event, payload, context);
  const isCamelAlways = event.point === 'permissionRequest' || event.point === 'notification';
  if (event.isPascal && !isCamelAlways)
    return { hook_event_name: event.name, session_id, timestamp, cwd, ...inSnakeCase(own) };
  return {
    ...(event.point === 'permissionRequest' && { hookName: 'permissionRequest' }),
    sessionId: session_id,
    timestamp: Date.parse(String(timestamp)),
    cwd,
    ...(event.point === 'notification' && { hook_event_name: 'Notification' }),
    ...own,
  };
}

/** The fields of every event, and those that only we have. */
const ourBase = new Set(['session_id', 'transcript_path', 'cwd', 'timestamp', 'hook_event_name']);

/**
 * Returns an event's own fields in camel case; fields of the agent that we do not know are passed on
 * unchanged.
 */
function ownFields(event: CopilotEvent, payload: HookPayload, context: EventContext): Fields {
  const { point } = event;
  const given = withoutNames(payload, ourBase);
  const transcriptPath = context.transcriptPath ?? payload['transcript_path'];
  const { stopReason = 'end_turn', customInstructions = '' } = given;
  const { [point]: subject = '' } = worded;
  const inTheirWords = { [subject]: toCopilotWord(point, given[subject]) };
  switch (point) {
    case 'preToolUse':
    case 'permissionRequest':
    case 'postToolUse':
    case 'postToolUseFailure':
      return fieldsOfCall(event, given);
    case 'agentStop': {
      const { prompt: _, prompt_response: __, stop_hook_active, ...others } = given;
      return { ...others, transcriptPath, stopReason, stop_hook_active };
    }
    case 'subagentStart': {
      const { agent_id: _, agent_type: agentName, ...others } = given;
      return { ...others, transcriptPath, agentName };
    }
    case 'subagentStop': {
      const {
        agent_id: agentId,
        agent_type: agentType,
        last_assistant_message: response,
        stop_hook_active: _,
        ...others
      } = given;
      const { agentName = agentType } = others;
      const own = { transcriptPath, agentId, agentType, agentName, response, stopReason };
      return defined({ ...others, ...own });
    }
    case 'preCompact': {
      const { trigger, ...others } = given;
      return { ...others, transcriptPath, trigger, customInstructions };
    }
    case 'notification': {
      const { details: _, notification_type: __, ...others } = given;
      return { ...others, ...inTheirWords };
    }
    case 'sessionStart':
    case 'sessionEnd':
      return { ...given, ...inTheirWords };
    default:
      return given;
  }
}

/** Returns the own fields of an event about a tool call. */
function fieldsOfCall(event: CopilotEvent, given: Fields): Fields {
  const {
    tool_name,
    tool_input,
    tool_response: response,
    error,
    is_interrupt: _,
    ...others
  } = given;
  const tool = String(tool_name);
  const input = toCopilotInput(tool, fieldsOf(tool_input));
  if (event.point === 'permissionRequest')
    return { ...others, ...requestOf(toCopilotTool(tool), input), permissionSuggestions: [] };
  const { textResultForLlm } = toCopilotResult(response);
  const { message = textResultForLlm } = fieldsOf(fieldsOf(response)['error']);
  return {
    ...others,
    toolName: event.isPascal ? toPascalTool(tool) : toCopilotTool(tool),
    toolArgs: input,
    ...(event.point === 'postToolUse' && { toolResult: toCopilotResult(response) }),
    ...(event.point === 'postToolUseFailure' && {
      error: error ?? (typeof message === 'string' ? message : textResultForLlm),
    }),
  };
}

/** Returns a call as a request for permission reports it: writing a file counts as editing it. */
function requestOf(toolName: string, toolInput: Fields): Fields {
  if (toolName === 'bash') return { toolName, toolInput: { command: toolInput['command'] } };
  if (toolName !== 'create' && toolName !== 'edit') return { toolName, toolInput };
  const { path: file_path, ...others } = toolInput;
  return { toolName: 'edit', toolInput: { file_path, ...others } };
}

/** Fields whose names in the two forms differ by more than their spelling. */
const snakeNames: Readonly<Record<string, string>> = {
  toolArgs: 'tool_input',
  response: 'last_assistant_message',
};
const camelNames: Readonly<Record<string, string>> = {
  tool_input: 'toolArgs',
  toolInput: 'toolArgs',
  last_assistant_message: 'response',
  // They have the same name in both forms.
  stop_hook_active: 'stop_hook_active',
  notification_type: 'notification_type',
  hook_event_name: 'hook_event_name',
};

/** Returns the fields as hooks in Pascal case receive them. */
const inSnakeCase = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      inTable(snakeNames, name) ??
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'toolResult' && isRecord(value) ? inSnakeCase(value) : value,
    ]),
  );

/** Turns `tool_name` into `toolName`. */
const camel = (name: string): string =>
  name.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Of a field that is given under several names, the one in the event's own form counts. */
const inCamelCase = (event: CopilotEvent, given: Fields): Fields =>
  Object.fromEntries(
    Object.entries(given)
      .toSorted(([one], [other]) => Number(isOwnName(event, one)) - Number(isOwnName(event, other)))
      .map(([name, value]) => [inTable(camelNames, name) ?? camel(name), value]),
  );

function isOwnName({ point, isPascal }: CopilotEvent, name: string): boolean {
  // It has the same form under both names of the event.
  if (point === 'permissionRequest') return name === 'toolName' || name === 'toolInput';
  return isPascal ? name.includes('_') : camel(name) === name && name !== 'toolInput';
}

/** Arguments may be given as JSON text, as earlier versions of Copilot did; a patch is plain text. */
const args: Field<Fields> = {
  mayBeAbsent: false,
  read: (value, path, faults) => object.read(inObject(parsed(value)), path, faults),
};

const inObject = (value: unknown): unknown =>
  typeof value === 'string' && patchFieldIn({ patch: value }) ? { patch: value } : value;

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const call = { toolName: text, toolArgs: args };

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Partial<Record<CopilotPointName, Shape>>> = {
  preToolUse: call,
  permissionRequest: call,
  postToolUse: { ...call, toolResult: object },
  postToolUseFailure: { ...call, error: text },
  userPromptSubmitted: { prompt: text },
  agentStop: { stop_hook_active: withDefault(flag, () => false) },
  subagentStart: { agentName: text },
  subagentStop: { agentName: optional(text), agentType: optional(text), agentId: optional(text) },
  sessionStart: { source: withDefault(text, () => 'new') },
  sessionEnd: { reason: withDefault(text, () => 'complete') },
  preCompact: { trigger: oneOf(['manual', 'auto']) },
  notification: { message: text, notification_type: withDefault(text, () => '') },
};

/** Reads an event from an agent that speaks Copilot, in either form, into canonical form. */
export function readCall(name: string, given: Fields): CheckedCall {
  const event = copilotEventNamed(name)!;
  return checkedCall(shapes[event.point] ?? {}, inCamelCase(event, given), (fields) =>
    inCanonicalForm(event, fields),
  );
}

/** The fields of every event, which are ours whatever an agent gives. */
const theirBase = new Set([
  'sessionId',
  'transcriptPath',
  'cwd',
  'timestamp',
  'hook_event_name',
  'hookName',
  'permissionSuggestions',
]);

function inCanonicalForm({ point }: CopilotEvent, given: Fields): ReadCall {
  const own = withoutNames(given, theirBase);
  const { transcriptPath } = given;
  const made = (fields: Fields): ReadCall => ({
    fields,
    context: { ...(typeof transcriptPath === 'string' && { transcriptPath }) },
  });
  const { [point]: subject } = worded;
  const inOurWords = subject && { [subject]: fromCopilotWord(point, own[subject]) };
  switch (point) {
    case 'preToolUse':
    case 'permissionRequest':
    case 'postToolUse':
    case 'postToolUseFailure': {
      const { toolName, toolArgs, toolResult, error, ...others } = own;
      const input = toolArgs as Fields;
      const tool_name = toolOf(toolName as string, input);
      const unread = { llmContent: JSON.stringify(toolResult), returnDisplay: '' };
      const read = made({
        ...others,
        tool_name,
        tool_input: fromCopilotInput(tool_name, withPath(input)),
        ...(point === 'postToolUse' && { tool_response: fromCopilotResult(toolResult) ?? unread }),
        ...(point === 'postToolUseFailure' && {
          error,
          tool_response: failureOf(error as string),
        }),
      });
      if (tool_name !== patchTool) return read;
      const field = patchFieldIn(input) ?? 'patch';
      return { ...read, parts: patchParts(read.fields, input, field, given['cwd']) };
    }
    case 'agentStop':
      return made({ ...own, prompt: '', prompt_response: '' });
    case 'subagentStart': {
      const { agentName, ...others } = own;
      return made({ ...others, agent_id: '', agent_type: agentName });
    }
    case 'subagentStop': {
      const { agentId = '', agentType, response, ...others } = own;
      return made({
        ...others,
        agent_id: agentId,
        agent_type: agentType ?? others['agentName'] ?? '',
        stop_hook_active: false,
        ...(typeof response === 'string' && { last_assistant_message: response }),
      });
    }
    case 'notification':
      return made({ ...own, ...inOurWords, details: {} });
    default:
      return made({ ...own, ...inOurWords });
  }
}

/**
 * Copilot's tool for patches that may write many files; some events give it the name of the tool that
 * edits one file.
 */
const patchTool = 'apply_patch';

function toolOf(theirs: string, input: Fields): string {
  const isOfOne = 'path' in input || 'file_path' in input;
  const ours = fromCopilotTool(theirs);
  return ours === 'replace' && !isOfOne && patchFieldIn(input) !== undefined ? patchTool : ours;
}

/** A request for permission has another name for the path of a file. */
function withPath(input: Fields): Fields {
  const { file_path, ...others } = input;
  return file_path === undefined || 'path' in input ? input : { path: file_path, ...others };
}

/** Returns what such an agent is told: the final arguments and a replaced result, in Copilot's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCopilotInput(toolName, toolInput),
  toolOutput: toolResponse ? toCopilotResult(toolResponse) : null,
  followUps,
});
