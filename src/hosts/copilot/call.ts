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
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { patchFieldIn, patchParts } from '../patch/patch-parts.ts';
import { failureOf, checkedCall } from '../parts/host-call.ts';
import { copilotEventNamed, type CopilotEvent, type CopilotPointName } from './events.ts';
import {
  fromCopilotInput,
  fromCopilotResult,
  fromCopilotTool,
  toCopilotInput,
  toCopilotResult,
} from './tools.ts';
import { fromCopilotWord } from './words.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Arguments may be given as JSON text, as earlier versions of Copilot did. */
const args: Field<Fields> = {
  mayBeAbsent: false,
  read: (value, path, faults) => object.read(inObject(parsed(value)), path, faults),
};

/** A patch is given as plain text. */
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
const stop = { stop_hook_active: withDefault(flag, () => false) };

/**
 * What an event's own fields must be when they come from outside, in camel case. Extra fields are
 * tolerated.
 */
const shapes: Readonly<Partial<Record<CopilotPointName, Shape>>> = {
  preToolUse: call,
  permissionRequest: call,
  postToolUse: { ...call, toolResult: object },
  postToolUseFailure: { ...call, error: text },
  userPromptSubmitted: { prompt: text },
  agentStop: stop,
  subagentStart: { agentName: text },
  subagentStop: { agentName: optional(text), agentType: optional(text), agentId: optional(text) },
  sessionStart: { source: withDefault(text, () => 'new') },
  sessionEnd: { reason: withDefault(text, () => 'complete') },
  preCompact: { trigger: oneOf(['manual', 'auto']) },
  notification: { message: text, notification_type: withDefault(text, () => '') },
};

/** Reads an event from an agent that speaks Copilot, in either form, into canonical form. */
export const readCall: Dialect['readCall'] = (name, given): CheckedCall => {
  const event = copilotEventNamed(name)!;
  return checkedCall(shapes[event.point] ?? {}, inCamelCase(event, given), (fields) =>
    inCanonicalForm(event, fields),
  );
};

/** Fields whose names in the other form differ by more than their spelling. */
const otherNames: Readonly<Record<string, string>> = {
  tool_input: 'toolArgs',
  toolInput: 'toolArgs',
  last_assistant_message: 'response',
};

/** Fields that have the same name in both forms. */
const sameNames: ReadonlySet<string> = new Set([
  'stop_hook_active',
  'notification_type',
  'hook_event_name',
]);

/** Of a field that is given under several names, the one in the event's own form counts. */
const inCamelCase = (event: CopilotEvent, given: Fields): Fields =>
  Object.fromEntries(
    Object.entries(given)
      .toSorted(([one], [other]) => Number(isOwnName(event, one)) - Number(isOwnName(event, other)))
      .map(([name, value]) => [
        otherNames[name] ?? (sameNames.has(name) ? name : camel(name)),
        value,
      ]),
  );

function isOwnName({ point, isPascal }: CopilotEvent, name: string): boolean {
  // It has the same form under both names of the event.
  if (point === 'permissionRequest') return name === 'toolName' || name === 'toolInput';
  return isPascal ? name.includes('_') : camel(name) === name && name !== 'toolInput';
}

/** Turns `tool_name` into `toolName`. */
const camel = (name: string): string =>
  name.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The fields of every event, which are ours whatever an agent gives. */
const base: ReadonlySet<string> = new Set([
  'sessionId',
  'transcriptPath',
  'cwd',
  'timestamp',
  'hook_event_name',
  'hookName',
  'permissionSuggestions',
]);

function inCanonicalForm({ point }: CopilotEvent, given: Fields): ReadCall {
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !base.has(name)));
  const { transcriptPath } = given;
  const made = (fields: Fields): ReadCall => ({
    fields,
    context: { ...(typeof transcriptPath === 'string' && { transcriptPath }) },
  });
  switch (point) {
    case 'preToolUse':
    case 'permissionRequest':
    case 'postToolUse':
    case 'postToolUseFailure': {
      const { toolName, toolArgs, toolResult, error, ...others } = own;
      const input = toolArgs as Fields;
      const tool_name = toolOf(toolName as string, input);
      const read = made({
        ...others,
        tool_name,
        tool_input: fromCopilotInput(tool_name, withPath(input)),
        ...(point === 'postToolUse' && { tool_response: responseOf(toolResult as Fields) }),
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
      return made({
        ...own,
        notification_type: fromCopilotWord(point, own['notification_type'] as string),
        details: {},
      });
    case 'sessionStart':
      return made({ ...own, source: fromCopilotWord(point, own['source'] as string) });
    case 'sessionEnd':
      return made({ ...own, reason: fromCopilotWord(point, own['reason'] as string) });
    default:
      return made(own);
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

const responseOf = (given: Fields): Fields =>
  fromCopilotResult(given) ?? { llmContent: JSON.stringify(given), returnDisplay: '' };

/** Returns what such an agent is told: the final arguments and a replaced result, in Copilot's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCopilotInput(toolName, toolInput),
  toolOutput: toolResponse ? toCopilotResult(toolResponse) : null,
  followUps,
});
