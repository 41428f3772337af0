import { defined } from '../../base/json.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { Speaker, HostAnswer } from '../../core/dialects/speaker.ts';

/** How long the plugin file waits, in ms: hooks have their own time limits, and OpenCode has none. */
export const longestWait = 600_000;

/** Writes the answers that the plugin file from `hookmachine install opencode` carries out. */
export const speaker: Speaker = {
  title: 'OpenCode',
  eventIn: () => undefined,
  projectIn: ({ cwd }) => [cwd],
  asks: () => false,
  timeoutAt: () => longestWait,
  write(event, { native }, wishes): HostAnswer {
    const answer = ((): Readonly<Record<string, unknown>> => {
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
          return { prompt: wishes.takeGoingOn() };
        default:
          return {};
      }
    })();
    const said = defined<Record<string, unknown>>(answer);
    return Object.keys(said).length > 0 ? { stdout: said } : {};
  },
};
