import {
  listOf,
  object,
  oneOf,
  optional,
  readShape,
  text,
  withDefault,
  type Shape,
} from '../../protocol/fields.ts';
import type { CheckedCall, ReadCall } from '../dialect.ts';
import type { ConversationMessage, EventContext } from '../event-context.ts';
import { kodeletEvents, type KodeletEvent } from './events.ts';
import { exchangeNames, fromKodeletOutput, fromKodeletTool } from './tools.ts';

const invoked_by = optional(oneOf(['main', 'subagent'], 'main or subagent'));
const toolCall = {
  tool_name: text,
  tool_input: object,
  tool_user_id: optional(text),
  invoked_by,
};
const message = { role: oneOf(['user', 'assistant'], 'user or assistant'), content: text };

/** What each event's own fields must be (seed 002 "Payload Structures"). More fields are tolerated. */
const shapes: Readonly<Record<KodeletEvent, Shape>> = {
  before_tool_call: toolCall,
  after_tool_call: { ...toolCall, tool_output: object },
  user_message_send: { message: text, invoked_by },
  agent_stop: {
    messages: withDefault(listOf(message, 'an array of messages'), () => []),
    invoked_by,
  },
};

/** An event as an agent that speaks Kodelet gives it, in canonical form. */
export function readCall(event: string, given: Readonly<Record<string, unknown>>): CheckedCall {
  const type = event as KodeletEvent;
  const faults: string[] = [];
  const fields = readShape(shapes[type], given, faults);
  return faults.length > 0 ? { faults } : inCanonicalForm(type, fields);
}

function inCanonicalForm(type: KodeletEvent, given: Readonly<Record<string, unknown>>): ReadCall {
  const context: EventContext = {
    invokedBy: given['invoked_by'] as EventContext['invokedBy'],
    toolCallId: given['tool_user_id'] as string | undefined,
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
