import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Speaker, Wishes } from '../../core/dialects/speaker.ts';
import { longestWait } from '../parts/extension-relay.ts';
import { flatAnswer } from '../parts/speaking.ts';

/** Writes the answers that the plugin file from `hookmachine install opencode` carries out. */
export const speaker: Speaker = {
  title: 'OpenCode',
  eventIn: () => undefined,
  projectIn: ({ cwd }) => [cwd],
  asks: () => false,
  timeoutAt: () => longestWait,
  write: (event, outcome, wishes) => flatAnswer(answerTo(event, outcome, wishes)),
};

function answerTo(
  event: string,
  { native }: EventOutcome,
  wishes: Wishes,
): Readonly<Record<string, unknown>> {
  switch (event) {
    case 'tool.execute.before':
      return {
        deny: wishes.take('deny'),
        args: wishes.take('toolInput') && native['toolInput'],
      };
    case 'tool.execute.after':
      return {
        output: wishes.take('toolResponse') && native['toolOutput'],
        append: joinTexts([wishes.take('deny'), wishes.take('context')]),
      };
    case 'chat.message':
      return {
        deny: wishes.takeRefusal(),
        append: wishes.take('context'),
      };
    case 'session.idle':
      // The agent stops by itself if no hook says anything.
      wishes.take('stop');
      return { prompt: wishes.takeContinuation() };
    default:
      return {};
  }
}
