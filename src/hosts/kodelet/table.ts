import { join } from 'node:path';
import type { Answer } from '../../core/answers/answer.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import type { HostRoom } from '../parts/host-dialect.ts';
import { relayMark } from '../parts/relay-entry.ts';
import { flatAnswer, type Says } from '../parts/speaking.ts';
import { readAnswer } from './answer.ts';
import { readCall, reportCall, toStdin } from './calls.ts';
import { kodeletEvents } from './events.ts';
import { findHooks } from './find.ts';
import { runLimit } from './places.ts';

const said: Readonly<Record<string, Says>> = {
  before_tool_call(wishes, { native }) {
    const reason = wishes.take('deny');
    return {
      top:
        reason === undefined
          ? { input: wishes.take('toolInput') && native['toolInput'] }
          : { blocked: true, reason },
    };
  },
  user_message_send(wishes) {
    const reason = wishes.takeRefusal();
    return { top: reason === undefined ? {} : { blocked: true, reason } };
  },
  after_tool_call: (wishes, { native }) => ({
    top: { output: wishes.take('toolResponse') && native['toolOutput'] },
  }),
  agent_stop(wishes) {
    // The agent stops by itself if no hook says anything.
    wishes.take('stop');
    const texts = [wishes.take('deny') ?? [], wishes.take('followUps') ?? []].flat();
    return { top: texts.length > 0 ? { follow_up_messages: texts } : {} };
  },
};

/**
 * Of several hooks Kodelet obeys the last one that exits with 0, even if it said nothing. So a relay with
 * nothing to say exits with another code, and undoes no denial.
 */
const silence = { exitCode: 1 };

const speaker: Speaker = {
  title: 'Kodelet',
  eventIn: ({ event }) => event,
  sessionIn: ({ conv_id }) => conv_id,
  projectIn: ({ cwd }) => [cwd],
  asks: () => false,
  timeoutAt: () => runLimit,
  silence,
  write: (event, outcome, wishes) => flatAnswer(said[event]?.(wishes, outcome).top ?? {}, silence),
};

/** One executable for each type of hook. Kodelet obeys the last hook of several, so the names sort late. */
const installation: FilesInstallation = {
  kind: 'files',
  programs: ['kodelet'],
  runsInProject: true,
  files: (scope, { cwd, home }, call) =>
    Object.keys(kodeletEvents).map((event) => ({
      file: join(scope === 'user' ? home : cwd, '.kodelet', 'hooks', `zz-hookmachine-${event}`),
      mode: 0o755,
      text: `#!/bin/sh
# ${relayMark}
case "$1" in
  hook) echo ${event} ;;
  run) exec ${call()} ;;
esac
`,
    })),
  after: () => [],
  notes: (scope) =>
    scope === 'project'
      ? [
          'if several hooks answer, Kodelet follows the last one, and the hooks in your home folder come later: --scope user is safer',
        ]
      : [],
};

/** What Kodelet tells its hooks, what it obeys, and where they are. */
export const table: HostRoom = {
  find: findHooks,
  identity: ({ name }) => name,
  subjectOf: () => undefined,
  compileMatcher: () => () => true,
  mode: () => 'sequential',
  environment: () => ({}),
  stdin: ({ event }, payload, context) => toStdin(event, payload, context),
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  readCall,
  reportCall,
  speaker,
  installation,
};

/** The same for hooks of which only the last one counts. */
export const strictTable: HostRoom = {
  ...table,
  // A denial does not count until all hooks have answered.
  read(hook, outcome, payload) {
    const answer = readAnswer(hook.event, outcome, payload);
    return answer.decision === 'deny' ? { ...answer, decision: undefined } : answer;
  },
  chain: (_, payload) => payload,
  merge(event, answers, payload) {
    const last = answers.findLast(({ answer }) => endedWithZero(answer));
    if (last === undefined) return mergeEffects(event, [], payload);
    // A hook gives a reason only for a denial.
    const denial = last.answer.reason !== undefined && { decision: 'deny' as const };
    return mergeEffects(event, [{ ...last, answer: { ...last.answer, ...denial } }], payload);
  },
};

const endedWithZero = ({ exitCode, signal, timedOut }: Answer): boolean =>
  exitCode === 0 && signal === undefined && !timedOut;
