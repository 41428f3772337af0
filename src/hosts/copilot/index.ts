import type { Dialect } from '../../core/dialects/dialect.ts';
import { isNotFailedTool } from '../parts/matching.ts';
import { readAnswer } from './answer.ts';
import { copilotEventNamed, copilotEventNames, traitsOf } from './events.ts';
import { compileMatcher, matcherOf } from './matcher.ts';
import { mayHoldHooks, policyFolder, projectAtFirstSight } from './places.ts';
import { environmentOf, toStdin } from './stdin.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadFind = onDemand(() => import('./find.ts'));

/** Options for where Copilot's hooks are found. */
export interface CopilotOptions {
  /** An administrator's folder of policies to use instead of the machine's, for tests. */
  readonly policies?: string;
}

/**
 * Returns the dialect of GitHub Copilot's command line, with the administrator's policies in a given
 * folder.
 */
export function copilotWith({ policies = policyFolder }: CopilotOptions = {}): Dialect {
  return {
    name: 'copilot',
    family: 'copilot',
    events: Object.fromEntries(
      copilotEventNames.map((name) => [name, traitsOf(copilotEventNamed(name)!).at]),
    ),
    order: ['system', 'user', 'project', 'extension'],
    needsSwitch: false,
    approves: true,
    guarded: [
      '.github/hooks/',
      '.github/copilot/settings.json',
      '.github/copilot/settings.*.json',
      '.copilot/hooks/',
      '.copilot/settings.json',
      '.copilot/config.json',
      '.copilot/installed-plugins/',
    ],
    mayBeIn: (cwd, counts) => mayHoldHooks(cwd, counts, policies),
    atFirstSight: (cwd) => projectAtFirstSight(cwd, policies),
    find: async (site) => (await loadFind()).findHooks(site, policies),
    // Every entry runs, even one that equals another.
    identity: ({ file, place }) => JSON.stringify([file, place]),
    matcherOf,
    compileMatcher,
    applies: isNotFailedTool,
    mode: () => 'sequential',
    environment: environmentOf,
    stdin: toStdin,
    read: readAnswer,
    ...fromRoom({
      toolNames: () => import('./tool-names.ts'),
      call: () => import('./call.ts'),
      speak: () => import('./speak.ts'),
      install: () => import('./install.ts'),
      write: () => import('./write.ts'),
    }),
    // Claude Code itself gives its hooks no timestamp.
    givesHooksOf: (host, given, { COPILOT_CLI: isCopilot }) =>
      host === 'claude-code' && isCopilot === '1' && 'timestamp' in given,
  };
}

/** The hooks of GitHub Copilot's command line, from its hook files, its settings and its plugins. */
export const copilot: Dialect = copilotWith();
