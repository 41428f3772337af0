import type { HookInput } from '../../core/protocol/input.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hostSettings, mayBeInHost, projectSight } from '../parts/host-places.ts';
import { runsInSequence } from '../parts/host-sequence.ts';
import { isNotFailedTool, matchesHostEvent } from '../parts/matching.ts';
import { readAnswer } from './answer.ts';
import { qwenEventOf, qwenEvents, traitsOf } from './events.ts';
import { compileMatcher, matcherOf } from './matcher.ts';
import { chain, merge } from './merge.ts';
import { qwenFolder, systemSettings } from './places.ts';
import { toStdin } from './stdin.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadFind = onDemand(() => import('./find.ts'));

/** Options for the places of Qwen Code's hooks. */
export interface QwenCodeOptions {
  /** The file of the administrator's settings, instead of the machine's, for tests. */
  readonly system?: string;
}

/** Qwen Code's hooks, with the administrator's settings in a given file. */
export const qwenCodeWith = ({ system = systemSettings }: QwenCodeOptions = {}): Dialect => ({
  name: 'qwen-code',
  family: 'qwen-code',
  events: qwenEvents.ours,
  needsSwitch: false,
  guarded: [
    '.qwen/settings.json',
    '.qwen/trusted*.json',
    '.qwen/.env',
    '.qwen/hooks/',
    '.qwen/extensions/',
  ],
  mayBeIn: (cwd, counts) => mayBeInHost(qwenFolder(system), cwd, counts),
  atFirstSight: (cwd) => projectSight(hostSettings(cwd, qwenFolder(system))),
  find: async (site) => (await loadFind()).findHooks(site, system),
  identity: identityOf,
  matcherOf,
  compileMatcher,
  applies: (hook, payload) =>
    isNotFailedTool(hook, payload) &&
    matchesHostEvent(hook, payload, traitsOf(qwenEventOf(hook)).subject, compileMatcher),
  mode: (hooks) => (runsInSequence(hooks, identityOf) ? 'sequential' : 'parallel'),
  runsOn: true,
  environment: environmentOf,
  stdin: toStdin,
  read: readAnswer,
  chain,
  merge,
  ...fromRoom({
    toolNames: () => import('./tool-names.ts'),
    call: () => import('./call.ts'),
    speak: () => import('./speak.ts'),
    install: () => import('./install.ts'),
    write: () => import('./write.ts'),
  }),
});

/** A command with the same name is the same hook, in any group and file. */
const identityOf = ({ nativeEvent, type, name, command }: HookDefinition): string =>
  JSON.stringify([nativeEvent, type, name, command]);

/** Returns the variables of a hook; its own `env` overrides them. */
const environmentOf = (
  { env }: HookDefinition,
  input: HookInput,
): Readonly<Record<string, string>> => {
  const { cwd, session_id } = input;
  const { prompt_id: prompt } = input as { readonly prompt_id?: unknown };
  return {
    QWEN_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
    QWEN_CODE_SESSION_ID: session_id,
    ...(typeof prompt === 'string' && { QWEN_CODE_PROMPT_ID: prompt }),
    ...env,
  };
};

/** Qwen Code's hooks, from settings and extensions. */
export const qwenCode: Dialect = qwenCodeWith();
