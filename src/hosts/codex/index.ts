import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { isNotFailedTool } from '../parts/matching.ts';
import { codexEvents } from './events.ts';
import { mayBeIn, projectAtFirstSight, systemFolder } from './places.ts';
import type * as Protocol from './protocol.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadProtocol = onDemand(() => import('./protocol.ts'));
const loadFind = onDemand(() => import('./find.ts'));

/** Options for where Codex's hooks are found. */
export interface CodexOptions {
  /** An administrator's folder to use instead of the machine's, for tests. */
  readonly system?: string;
}

/** Loaded when hooks are searched for: without hooks, none of it is needed. */
let loaded: typeof Protocol | undefined;

const protocol = (): typeof Protocol => {
  if (loaded === undefined) throw new Error("Codex's hooks have to be found before they are used.");
  return loaded;
};

/** Returns Codex's dialect, with the administrator's files in a given folder. */
export const codexWith = ({ system = systemFolder }: CodexOptions = {}): Dialect => ({
  name: 'codex',
  family: 'codex',
  events: codexEvents.ours,
  needsSwitch: false,
  order: ['system', 'user', 'project', 'extension'],
  guarded: ['.codex/hooks.json', '.codex/config.toml', '.codex/hooks/'],
  mayBeIn: (cwd, counts) => mayBeIn(cwd, counts, system),
  atFirstSight: (cwd) => projectAtFirstSight(cwd, system),
  async find(site) {
    loaded ??= await loadProtocol();
    return (await loadFind()).findHooks(site, system);
  },
  identity: identityOf,
  matcherOf: (hook) => protocol().matcherOf(hook),
  compileMatcher: (...matcher) => protocol().compileMatcher(...matcher),
  applies: isNotFailedTool,
  mode: () => 'parallel',
  environment: () => ({}),
  stdin: (...given) => protocol().toStdin(...given),
  read: (...given) => protocol().readAnswer(...given),
  merge: (...said) => protocol().mergeAnswers(...said),
  ...fromRoom({
    toolNames: () => import('./tool-names.ts'),
    call: () => import('./call.ts'),
    speak: () => import('./speak.ts'),
    install: () => import('./install.ts'),
    write: () => import('./write.ts'),
  }),
});

/** Codex's hooks, from `hooks.json` and `config.toml`. */
export const codex: Dialect = codexWith();

/** The same command listed twice runs twice. */
function identityOf({ file, place }: HookDefinition): string {
  return `${file} ${place}`;
}
