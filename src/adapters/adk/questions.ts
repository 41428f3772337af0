import { isRecord } from '../../base/json.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { mayHearQuestion } from '../parts/questions.ts';
import type { Agent, Context, Tool, ToolCallback } from './types.ts';

/** ADK's name for its question to the user. */
const question = 'adk_request_confirmation';

/** Marks the questions that a hook wanted asked. */
export const askedByHook = { hookmachine: 'asked' } as const;

const known = new WeakSet<object>();

/**
 * ADK accepts an answer only to a question that the tool itself wants asked. This makes a question that a
 * hook wanted asked count as one too, even if another process asked it.
 */
export function knowQuestions(given: object): void {
  if (known.has(given)) return;
  known.add(given);
  const agent = given as Agent;
  for (const subAgent of agent.subAgents ?? []) knowQuestions(subAgent);
  if (!('canonicalTools' in given)) return;
  const canonicalTools = agent.canonicalTools.bind(agent);
  agent.canonicalTools = async (...args) => {
    const tools = await canonicalTools(...args);
    for (const tool of tools) knowQuestionsAbout(tool);
    return tools;
  };
}

function knowQuestionsAbout(tool: Tool): void {
  if (known.has(tool)) return;
  known.add(tool);
  const check = tool.checkRequireConfirmation.bind(tool);
  tool.checkRequireConfirmation = async (args, context) =>
    (context !== undefined && wasAskedByHook(context)) || check(args, context);
}

function wasAskedByHook({ functionCallId, invocationContext }: Context): boolean {
  return invocationContext.session.events.some(({ content }) =>
    content?.parts?.some(({ functionCall: asked }) => {
      if (asked?.name !== question) return false;
      const { originalFunctionCall: call, toolConfirmation: asking } = asked.args ?? {};
      if (!isRecord(call) || call['id'] !== functionCallId || !isRecord(asking)) return false;
      const { payload } = asking;
      return isRecord(payload) && payload['hookmachine'] === askedByHook.hookmachine;
    }),
  );
}

/** Lets ToolPermission hooks answer, in the user's place, the question that a tool is about to ask. */
export async function answerQuestion(
  hooks: AgentHooks,
  { tool, toolArgs, toolContext }: ToolCallback,
): Promise<void> {
  const { functionCallId: id, toolConfirmation } = toolContext;
  const mayAnswer = mayHearQuestion(hooks.config, hooks.nameOf(tool.name));
  if (id === undefined || toolConfirmation || !mayAnswer) return;
  const call = { id, name: tool.name, input: toolArgs };
  // If a call does not fit its tool, ADK reports that when it runs.
  const asks = await tool.checkRequireConfirmation(toolArgs, toolContext).catch(() => false);
  if (!asks || hooks.verdictOf(call)?.status !== 'allowed' || (await hooks.isToBeAsked(call)))
    return;
  toolContext.toolConfirmation = { confirmed: hooks.verdictOf(call)?.status === 'allowed' };
}
