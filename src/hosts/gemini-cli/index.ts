import { join } from 'node:path';
import { HookEventName } from '../../core/protocol/events.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hostSettings, mayBeInHost, projectSight } from '../parts/host-places.ts';
import { runsInSequence } from '../parts/host-sequence.ts';
import { readAnswer } from './answer.ts';
import { compileMatcher, matcherOf } from './matcher.ts';
import { chain, merge } from './merge.ts';
import { geminiFolder, systemSettings } from './places.ts';
import { toStdin } from './stdin.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';
import { environment } from '../../base/surroundings.ts';

const loadFind = onDemand(() => import('./find.ts'));

/** Options for the places of Gemini CLI's hooks. */
export interface GeminiCliOptions {
  /** The file of the administrator's settings, instead of the machine's, for tests. */
  readonly system?: string;
}

/** Gemini CLI's hooks, with the administrator's settings in a given file. */
export const geminiCliWith = ({ system = systemSettings }: GeminiCliOptions = {}): Dialect => ({
  name: 'gemini-cli',
  family: 'gemini-cli',
  events: HookEventName,
  order: ['user', 'project', 'system', 'extension'],
  needsSwitch: false,
  guarded: [
    '.gemini/settings.json',
    '.gemini/trusted*.json',
    '.gemini/.env',
    '.gemini/hooks/',
    '.gemini/extensions/',
  ],
  mayBeIn: (cwd, counts) => mayBeInHost(geminiFolder(system), cwd, counts),
  atFirstSight: (cwd) => projectSight(hostSettings(cwd, geminiFolder(system))),
  find: async (site) => (await loadFind()).findHooks(site, system),
  identity: identityOf,
  matcherOf,
  compileMatcher,
  mode: (hooks) => (runsInSequence(hooks, identityOf) ? 'sequential' : 'parallel'),
  runsOn: true,
  environment: environmentOf,
  stdin: (_, payload, context) => toStdin(payload, context),
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
const identityOf = ({ event, name, command }: HookDefinition): string =>
  JSON.stringify([event, name, command]);

/** Returns the variables of a hook; its own `env` overrides them. */
function environmentOf(
  { env }: HookDefinition,
  { cwd, session_id }: HookInput,
): Readonly<Record<string, string>> {
  const home = homeFolder();
  const { GEMINI_SESSION_ID: session, GEMINI_PLANS_DIR: given } = environment();
  const plans =
    session === session_id && given
      ? given
      : home && join(home, '.gemini/tmp', session_id, 'plans');
  return {
    GEMINI_PROJECT_DIR: cwd,
    GEMINI_CWD: cwd,
    CLAUDE_PROJECT_DIR: cwd,
    GEMINI_SESSION_ID: session_id,
    ...(plans && { GEMINI_PLANS_DIR: plans }),
    ...env,
  };
}

/** Gemini CLI's hooks, from settings and extensions. */
export const geminiCli: Dialect = geminiCliWith();
