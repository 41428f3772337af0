import { folderAtFirstSight } from '../../settings/files/read-files.ts';
import type { Answer } from '../../core/answers/answer.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import { readAnswer } from './answer.ts';
import { kodeletEvents } from './vocabulary.ts';
import { hookFolders, runArgs } from './hook-folders.ts';
import { toStdin } from './stdin.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadFind = onDemand(() => import('./find.ts'));

/**
 * Kodelet's protocol: executables that print their own type. Its hooks run one after another,
 * and each sees what earlier ones changed; any block blocks.
 */
export const kodelet: Dialect = {
  name: 'kodelet',
  family: 'kodelet',
  events: kodeletEvents,
  needsSwitch: false,
  guarded: [
    '.kodelet/hooks/',
    '.kodelet/plugins/',
    '.kodelet/extensions/',
    '.kodelet/config.y*ml',
    'kodelet-config.y*ml',
  ],
  mayBeIn: (cwd, counts = () => true) => hookFolders(cwd).some(({ source }) => counts(source)),
  atFirstSight(cwd) {
    const sights = hookFolders(cwd)
      .filter(({ source }) => source === 'project')
      .map(({ folder }) => folderAtFirstSight(folder));
    return sights.find((sight) => 'fault' in sight || sight.hasHooks) ?? sights[0];
  },
  find: async (site) => (await loadFind()).findHooks(site),
  identity: ({ name }) => name,
  replacesByName: true,
  matcherOf: () => undefined,
  compileMatcher: () => () => true,
  mode: () => 'sequential',
  runArgs,
  missingProgram: 'noted',
  environment: () => ({}),
  stdin: ({ event }, payload, context) => toStdin(event, payload, context),
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  plainDenial: (reason) => ({ blocked: true, reason }),
  ...fromRoom({
    call: () => import('./call.ts'),
    speak: () => import('./speak.ts'),
    install: () => import('./install.ts'),
  }),
};

/**
 * Kodelet's hooks as ADR 021's own executor ran them: each receives the same input as the first, and the
 * last one that exits with 0 decides alone, even with the empty answer of a logger. It undoes denials of
 * other Kodelet hooks, never those of another dialect.
 */
export const kodeletStrict: Dialect = {
  ...kodelet,
  name: 'kodelet-strict',
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
    const answer =
      last.answer.reason === undefined
        ? last.answer
        : { ...last.answer, decision: 'deny' as const };
    return mergeEffects(event, [{ ...last, answer }], payload);
  },
};

const endedWithZero = ({ exitCode, signal, timedOut }: Answer): boolean =>
  exitCode === 0 && signal === undefined && !timedOut;
