import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { decisionWith, nestedAnswer, type NestedFields, stopOf } from '../parts/speaking.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes the answers that Gemini CLI obeys: one object on stdout, with exit 0. */
export const speaker: Speaker = {
  title: 'Gemini CLI',
  projectIn: (_, { GEMINI_PROJECT_DIR }) => [GEMINI_PROJECT_DIR],
  asks: (event) => event === 'BeforeTool',
  timeoutAt: () => 600_000,
  write(event, said, wishes): HostAnswer {
    const { top, specific } = answerTo(event, said, wishes);
    const [systemMessage, suppressOutput] = [wishes.take('message'), wishes.take('hide')];
    const answer = nestedAnswer(event, {
      top: { ...top, systemMessage, suppressOutput },
      specific,
    });
    if (answer.stdout !== undefined) return answer;
    // If stdout is empty, stderr is read, and any text there undoes a denial at the model's events.
    return event.includes('Model') ? { stdout: {} } : {};
  },
};

function answerTo(event: string, { native }: EventOutcome, wishes: Wishes): NestedFields {
  switch (event) {
    case 'BeforeTool':
      return {
        top: { ...decisionOf(wishes), ...stopOf(wishes) },
        specific: { tool_input: wishes.take('toolInput') && native['toolInput'] },
      };
    case 'AfterTool':
      return afterTool(wishes);
    case 'BeforeAgent':
      return {
        top: { ...denialOf(wishes), ...stopOf(wishes) },
        specific: { additionalContext: wishes.take('context') },
      };
    case 'AfterAgent': {
      const stop = stopOf(wishes);
      if (stop['continue'] === false) return { top: stop };
      return { top: decisionWith('deny', wishes.takeContinuation()) };
    }
    case 'BeforeModel': {
      const response = wishes.take('llmResponse');
      const denial = denialOf(wishes);
      return {
        top: {
          // A response that replaces the model's is only used together with a denial.
          ...(response ? { decision: 'deny', reason: 'Answered by a hook', ...denial } : denial),
          ...stopOf(wishes),
        },
        specific: { llm_response: response, llm_request: wishes.take('llmRequest') },
      };
    }
    case 'AfterModel':
      return {
        top: { ...denialOf(wishes), ...stopOf(wishes) },
        specific: { llm_response: wishes.take('llmResponse') },
      };
    case 'BeforeToolSelection':
      return { specific: { toolConfig: wishes.take('toolConfig') } };
    case 'SessionStart':
      return { specific: { additionalContext: wishes.take('context') } };
    default:
      return {};
  }
}

/**
 * The reason of a denial replaces the result, so another result is given as such a reason. Context next
 * to it would be dropped.
 */
function afterTool(wishes: Wishes): NestedFields {
  const stop = stopOf(wishes);
  const text = wishes.takeResult();
  const denial = wishes.take('deny');
  const context = wishes.take('context');
  if (text === undefined && denial === undefined)
    return { top: stop, specific: { additionalContext: context } };
  return { top: { decision: 'deny', reason: joinTexts([text, denial, context]), ...stop } };
}

/** If the call is not denied, the user may be asked about it. */
function decisionOf(wishes: Wishes): Fields {
  const denial = denialOf(wishes);
  if (denial['decision'] !== undefined) return denial;
  const question = wishes.take('ask') ?? wishes.take('defer');
  return question === undefined ? {} : { decision: 'ask', reason: question };
}

const denialOf = (wishes: Wishes): Fields => decisionWith('deny', wishes.take('deny'));
