import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import { decisionWith, nestedAnswer, sayAll, says, type Says } from '../parts/speaking.ts';

const { context, hide, message, stop } = says;

const denial: Says = (wishes) => ({ top: decisionWith('deny', wishes.take('deny')) });

/** If the call is not denied, the user may be asked about it. */
const decision: Says = (wishes, outcome) => {
  if (wishes.peek('deny') !== undefined) return denial(wishes, outcome);
  const question = wishes.take('ask') ?? wishes.take('defer');
  return question === undefined ? {} : { top: { decision: 'ask', reason: question } };
};

const input: Says = (wishes, { native }) => ({
  specific: { tool_input: wishes.take('toolInput') && native['toolInput'] },
});

/**
 * The reason of a denial replaces the result, so another result is given as such a reason. Context next
 * to it would be dropped.
 */
const result: Says = (wishes, outcome) => {
  const text = wishes.takeResult();
  const denied = wishes.take('deny');
  return text === undefined && denied === undefined
    ? context(wishes, outcome)
    : { top: { decision: 'deny', reason: joinTexts([text, denied, wishes.take('context')]) } };
};

const continuation: Says = (wishes, outcome) =>
  wishes.peek('stop') === undefined
    ? { top: decisionWith('deny', wishes.takeContinuation()) }
    : stop(wishes, outcome);

/** A response that replaces the model's is only used together with a denial. */
const request: Says = (wishes, outcome) => {
  const response = wishes.take('llmResponse');
  return {
    top: {
      ...(response && { decision: 'deny', reason: 'Answered by a hook' }),
      ...denial(wishes, outcome).top,
    },
    specific: { llm_response: response, llm_request: wishes.take('llmRequest') },
  };
};

const response: Says = (wishes) => ({ specific: { llm_response: wishes.take('llmResponse') } });
const tools: Says = (wishes) => ({ specific: { toolConfig: wishes.take('toolConfig') } });

const said: Readonly<Record<string, readonly Says[]>> = {
  BeforeTool: [decision, stop, input],
  AfterTool: [result, stop],
  BeforeAgent: [denial, stop, context],
  AfterAgent: [continuation],
  BeforeModel: [request, stop],
  AfterModel: [denial, stop, response],
  BeforeToolSelection: [tools],
  SessionStart: [context],
};

/** Writes the answers that Gemini CLI obeys: one object on stdout, with exit 0. */
export const speaker: Speaker = {
  title: 'Gemini CLI',
  projectIn: (_, { GEMINI_PROJECT_DIR }) => [GEMINI_PROJECT_DIR],
  asks: (event) => event === 'BeforeTool',
  timeoutAt: () => 600_000,
  write(event, outcome, wishes) {
    const list = [...(said[event] ?? []), message, hide];
    const answer = nestedAnswer(event, sayAll(list, wishes, outcome));
    if (answer.stdout !== undefined) return answer;
    // If stdout is empty, stderr is read, and any text there undoes a denial at the model's events.
    return event.includes('Model') ? { stdout: {} } : {};
  },
};
