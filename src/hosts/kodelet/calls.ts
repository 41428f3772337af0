import type { HookPayload } from '../../../machines/hook-event.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { ConversationMessage, EventContext } from '../../core/answers/event-context.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import {
  listOf,
  object,
  oneOf,
  optional,
  text,
  withDefault,
  type Field,
  type Shape,
} from '../../core/protocol/fields.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { checkedCall } from '../parts/host-call.ts';
import { keptForms, resultOf } from '../parts/tool-facts.ts';
import { toolTable } from '../parts/tool-table.ts';
import { kodeletEvents, type KodeletEvent } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Our tools in Kodelet; what it calls their arguments is exchanged, see `exchangeNames`. */
const tools = toolTable([
  { ours: 'run_shell_command', name: 'bash' },
  { ours: 'read_file', name: 'file_read' },
  { ours: 'write_file', name: 'file_write' },
  { ours: 'replace', name: 'file_edit' },
  { ours: 'glob', name: 'glob_tool' },
  { ours: 'search_file_content', name: 'grep_tool' },
]);

/** Kodelet's name for one of our tools, and the reverse; any other tool keeps its name. */
export const { toTheirs: toKodeletTool, fromTheirs: fromKodeletTool } = tools;

/** By our tool, the arguments that Kodelet names differently. */
const argumentNames: ReadonlyMap<string, readonly (readonly [ours: string, theirs: string])[]> =
  new Map([
    ['read_file', [['limit', 'line_limit']]],
    ['write_file', [['content', 'text']]],
    [
      'replace',
      [
        ['old_string', 'old_text'],
        ['new_string', 'new_text'],
      ],
    ],
  ]);

/**
 * Exchanges our names and Kodelet's in a tool's arguments, in either direction. They are exchanged, not
 * just renamed, so that an argument which nobody asked for cannot take the place of the real one.
 * Values stay as they are: an offset still counts from 0.
 */
export function exchangeNames(ourToolName: string, input: Fields): Fields {
  const pairs = argumentNames.get(ourToolName);
  if (pairs === undefined) return input;
  const other = new Map(
    pairs.flatMap(([ours, theirs]) => [
      [ours, theirs],
      [theirs, ours],
    ]),
  );
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [other.get(name) ?? name, value]),
  );
}

const forms = keptForms();

/** Returns a tool's result as Kodelet's structured result. */
export function toKodeletOutput(ourToolName: string, given: unknown): Fields {
  const response = fieldsOf(given);
  const known = forms.theirs(response);
  if (known) return known.form as Fields;
  const { llmContent, error, metadata } = response;
  const toolName = toKodeletTool(ourToolName);
  const output = {
    toolName,
    success: !isRecord(error),
    ...(isRecord(error) && { error: textsIn(error['message']) }),
    metadataType: toolName,
    metadata: { ...fieldsOf(metadata), output: textsIn(llmContent) },
    timestamp: new Date().toISOString(),
  };
  forms.keep(response, output);
  return output;
}

/** Returns Kodelet's structured result in the form of `tool_response`. */
export function fromKodeletOutput(output: Fields): Fields {
  const { success, error, metadata } = output;
  const said = typeof error === 'string' && error !== '' ? error : undefined;
  const isError = success === false || said !== undefined;
  const message = said ?? 'The tool failed.';
  const { output: own, content = null } = fieldsOf(metadata);
  const printed = own ?? content;
  // Anything else that a hook gives is passed to the model unchanged.
  const whole = typeof printed === 'string' ? printed : isError ? '' : JSON.stringify(output);
  const shown = isError && !whole.includes(message) ? `${message}\n${whole}`.trimEnd() : whole;
  const response = {
    ...resultOf(shown),
    ...(isRecord(metadata) && { metadata }),
    ...(isError && { error: { message } }),
  };
  return forms.keep(response, output);
}

/** Returns what `<hook> run` receives. */
export function toStdin(event: HookEventName, payload: HookPayload, context: EventContext): object {
  const types = Object.keys(kodeletEvents) as KodeletEvent[];
  return {
    event: types.find((type) => kodeletEvents[type] === event),
    conv_id: payload['session_id'],
    ...toldFields(event, payload, context),
    cwd: payload['cwd'],
    invoked_by: context.invokedBy ?? 'main',
    ...(context.recipeName !== undefined && { recipe_name: context.recipeName }),
  };
}

function toldFields(event: HookEventName, payload: HookPayload, context: EventContext): object {
  const name = String(payload['tool_name']);
  const tool_input = exchangeNames(name, fieldsOf(payload['tool_input']));
  const call = { tool_name: toKodeletTool(name), tool_input };
  const tool_user_id = context.toolCallId ?? '';
  switch (event) {
    case 'BeforeTool':
      return { ...call, tool_user_id };
    case 'AfterTool': {
      const tool_output = toKodeletOutput(name, payload['tool_response']);
      return { ...call, tool_output, tool_user_id };
    }
    case 'BeforeAgent':
      return { message: payload['prompt'] };
    case 'AfterAgent':
      return { messages: context.messages?.() ?? [] };
    case 'host.turn_end':
      return { response: payload['response'], turn_number: payload['turn_number'] };
    default:
      return {};
  }
}

/** The fields in which every event may say who fires it. */
const caller = {
  invoked_by: optional(oneOf(['main', 'subagent'], 'main or subagent')),
  recipe_name: optional(text),
};
const toolCall = { tool_name: text, tool_input: object, tool_user_id: optional(text), ...caller };
/** A whole number. */
const count: Field<number> = {
  mayBeAbsent: false,
  read(value, path, faults) {
    if (!Number.isInteger(value)) faults.push(`"${path}" must be a whole number`);
    return value as number;
  },
};
const message = { role: oneOf(['user', 'assistant'], 'user or assistant'), content: text };

/** The shape of each event's own fields. More fields are tolerated. */
const shapes: Readonly<Record<KodeletEvent, Shape>> = {
  before_tool_call: toolCall,
  after_tool_call: { ...toolCall, tool_output: object },
  user_message_send: { message: text, ...caller },
  agent_stop: {
    messages: withDefault(listOf(message, 'an array of messages'), () => []),
    ...caller,
  },
  turn_end: { response: text, turn_number: withDefault(count, () => 1), ...caller },
};

/** Reads an event from an agent that speaks Kodelet, into canonical form. */
export function readCall(event: string, given: Fields): CheckedCall {
  const type = event as KodeletEvent;
  return checkedCall(shapes[type], given, (fields) => inCanonicalForm(type, fields));
}

function inCanonicalForm(type: KodeletEvent, given: Fields): ReadCall {
  const context: EventContext = {
    invokedBy: given['invoked_by'] as EventContext['invokedBy'],
    toolCallId: given['tool_user_id'] as string | undefined,
    ...(typeof given['recipe_name'] === 'string' && { recipeName: given['recipe_name'] }),
  };
  const tool_name = fromKodeletTool(given['tool_name'] as string);
  const tool_input = exchangeNames(tool_name, fieldsOf(given['tool_input']));
  switch (type) {
    case 'before_tool_call':
      return { fields: { tool_name, tool_input }, context };
    case 'after_tool_call': {
      const tool_response = fromKodeletOutput(given['tool_output'] as Fields);
      return { fields: { tool_name, tool_input, tool_response }, context };
    }
    case 'user_message_send':
      return { fields: { prompt: given['message'] as string }, context };
    case 'turn_end': {
      const { response, turn_number } = given;
      return { fields: { response, turn_number }, context };
    }
    case 'agent_stop': {
      const messages = given['messages'] as ConversationMessage[];
      const lastOf = (role: string) => messages.findLast((one) => one.role === role)?.content ?? '';
      return {
        fields: {
          prompt: lastOf('user'),
          prompt_response: lastOf('assistant'),
          stop_hook_active: false,
        },
        context: { ...context, messages: () => messages },
      };
    }
  }
}

/** Returns what such an agent is told: the final arguments and a replaced result, under Kodelet's names. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && exchangeNames(toolName, toolInput),
  followUps,
  toolOutput: toolResponse ? toKodeletOutput(toolName, toolResponse) : null,
});
