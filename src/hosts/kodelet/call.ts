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
import { isRecord } from '../../base/json.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import type { ConversationMessage, EventContext } from '../../core/answers/event-context.ts';
import {
  kodeletEvents,
  type KodeletEvent,
  exchangeNames,
  fromKodeletOutput,
  fromKodeletTool,
  toKodeletOutput,
} from './vocabulary.ts';
import { checkedCall } from '../parts/host-call.ts';

/** The fields in which every event may say who fires it. */
const caller = {
  invoked_by: optional(oneOf(['main', 'subagent'], 'main or subagent')),
  recipe_name: optional(text),
};
const toolCall = {
  tool_name: text,
  tool_input: object,
  tool_user_id: optional(text),
  ...caller,
};
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
export function readCall(event: string, given: Readonly<Record<string, unknown>>): CheckedCall {
  const type = event as KodeletEvent;
  return checkedCall(shapes[type], given, (fields) => inCanonicalForm(type, fields));
}

function inCanonicalForm(type: KodeletEvent, given: Readonly<Record<string, unknown>>): ReadCall {
  const context: EventContext = {
    invokedBy: given['invoked_by'] as EventContext['invokedBy'],
    toolCallId: given['tool_user_id'] as string | undefined,
    ...(typeof given['recipe_name'] === 'string' && { recipeName: given['recipe_name'] }),
  };
  const call = () => {
    const tool_name = fromKodeletTool(given['tool_name'] as string);
    return {
      tool_name,
      tool_input: exchangeNames(tool_name, given['tool_input'] as Record<string, unknown>),
    };
  };
  switch (kodeletEvents[type]) {
    case 'BeforeTool':
      return { fields: call(), context };
    case 'AfterTool': {
      const tool_response = fromKodeletOutput(given['tool_output'] as Record<string, unknown>);
      return { fields: { ...call(), tool_response }, context };
    }
    case 'BeforeAgent':
      return { fields: { prompt: given['message'] as string }, context };
    case 'host.turn_end':
      return {
        fields: { response: given['response'], turn_number: given['turn_number'] },
        context,
      };
    case 'AfterAgent': {
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
  toolInput: isRecord(toolInput) ? exchangeNames(toolName, toolInput) : null,
  followUps,
  toolOutput: toolResponse ? toKodeletOutput(toolName, toolResponse) : null,
});
