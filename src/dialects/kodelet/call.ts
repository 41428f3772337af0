import { z } from 'zod';
import { isRecord } from '../../protocol/output.ts';
import type { CallResult, Dialect, ReadCall } from '../dialect.ts';
import type { EventContext } from '../event-context.ts';
import { kodeletEvents, type KodeletEvent } from './events.ts';
import { fromKodeletOutput, toKodeletOutput } from './tool-output.ts';
import { exchangeNames, fromKodeletTool } from './tools.ts';

const object = z.record(z.string(), z.unknown(), 'must be an object');
const text = z.string('must be a string');

const invokedBy = z.enum(['main', 'subagent'], 'must be main or subagent').optional();
const toolCall = {
  tool_name: text,
  tool_input: object,
  tool_user_id: text.optional(),
  invoked_by: invokedBy,
};
const message = z.looseObject({
  role: z.enum(['user', 'assistant'], 'must be user or assistant'),
  content: text,
});

/** What each event's own fields must be (seed 002 "Payload Structures"). More fields are tolerated. */
const schemas = {
  before_tool_call: z.looseObject(toolCall),
  after_tool_call: z.looseObject({ ...toolCall, tool_output: object }),
  user_message_send: z.looseObject({ message: text, invoked_by: invokedBy }),
  agent_stop: z.looseObject({
    messages: z.array(message, 'must be an array of messages').default([]),
    invoked_by: invokedBy,
  }),
} satisfies Readonly<Record<KodeletEvent, z.ZodObject>>;

/** An event as an agent that speaks Kodelet gives it, in our words. */
export const readCall: Dialect['readCall'] = (event, given) => {
  const type = event as KodeletEvent;
  const parsed = schemas[type].safeParse(given);
  if (!parsed.success)
    return {
      faults: parsed.error.issues.map(({ path, message: fault }) => `"${path.join('.')}" ${fault}`),
    };
  return inOurWords(type, parsed.data);
};

function inOurWords(type: KodeletEvent, given: Readonly<Record<string, unknown>>): ReadCall {
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
      const messages = given['messages'] as z.infer<typeof message>[];
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

/** What such an agent is told: final arguments and a replaced result as Kodelet spells them. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: isRecord(toolInput) ? exchangeNames(toolName, toolInput) : null,
  followUps,
  toolOutput: toolResponse ? toKodeletOutput(toolName, toolResponse) : null,
});
