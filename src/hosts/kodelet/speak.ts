import type { Speaker, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';
import { flatAnswer } from '../parts/speaking.ts';
import { runLimit } from './vocabulary.ts';

const silence: HostAnswer = { exitCode: 1 };

/**
 * Writes the answers that Kodelet obeys. Of several hooks Kodelet obeys the last one that exits with 0,
 * even if it said nothing. So a relay with nothing to say exits with another code, and undoes no denial.
 */
export const speaker: Speaker = {
  title: 'Kodelet',
  eventIn: ({ event }) => event,
  sessionIn: ({ conv_id }) => conv_id,
  projectIn: ({ cwd }) => [cwd],
  asks: () => false,
  timeoutAt: () => runLimit,
  silence,
  write(event, { native }, wishes): HostAnswer {
    return flatAnswer(answerTo(event, native, wishes), silence);
  },
};

function answerTo(
  event: string,
  native: Readonly<Record<string, unknown>>,
  wishes: Wishes,
): Readonly<Record<string, unknown>> {
  switch (event) {
    case 'before_tool_call': {
      const reason = wishes.take('deny');
      return reason === undefined
        ? { input: wishes.take('toolInput') && native['toolInput'] }
        : { blocked: true, reason };
    }
    case 'user_message_send': {
      const reason = wishes.takeRefusal();
      return reason === undefined ? {} : { blocked: true, reason };
    }
    case 'after_tool_call':
      return { output: wishes.take('toolResponse') && native['toolOutput'] };
    case 'agent_stop': {
      // The agent stops by itself if no hook says anything.
      wishes.take('stop');
      const texts = [wishes.take('deny') ?? [], wishes.take('followUps') ?? []].flat();
      return texts.length > 0 ? { follow_up_messages: texts } : {};
    }
    default:
      return {};
  }
}
