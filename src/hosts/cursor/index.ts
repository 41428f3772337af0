import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { projectSight } from '../parts/host-places.ts';
import { cursorEvents } from './events.ts';
import { cursorFiles, enterpriseFile, mayBeIn } from './places.ts';
import type * as Protocol from './protocol.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadProtocol = onDemand(() => import('./protocol.ts'));
const loadFind = onDemand(() => import('./find.ts'));

/** Options for where Cursor's hooks are found. */
export interface CursorOptions {
  /** An administrator's file to use instead of the machine's, for tests. */
  readonly enterprise?: string;
}

/** Loaded when hooks are searched for: without hooks, none of it is needed. */
let loaded: typeof Protocol | undefined;

const protocol = (): typeof Protocol => {
  if (loaded === undefined)
    throw new Error("Cursor's hooks have to be found before they are used.");
  return loaded;
};

/** Returns Cursor's dialect, with the administrator's hooks in a given file. */
export const cursorWith = ({ enterprise = enterpriseFile }: CursorOptions = {}): Dialect => ({
  name: 'cursor',
  family: 'cursor',
  events: cursorEvents.ours,
  needsSwitch: false,
  approves: true,
  order: ['system', 'project', 'user', 'extension'],
  guarded: ['.cursor/hooks.json', '.cursor/hooks/'],
  mayBeIn: (cwd, counts) => mayBeIn(cwd, counts, enterprise),
  atFirstSight: (cwd) => projectSight(cursorFiles(cwd, enterprise)),
  async find(site) {
    loaded ??= await loadProtocol();
    return (await loadFind()).findHooks(site, enterprise);
  },
  identity: identityOf,
  matcherOf: (hook) => protocol().matcherOf(hook),
  compileMatcher: (...matcher) => protocol().compileMatcher(...matcher),
  applies: (...call) => protocol().applies(...call),
  mode: () => 'parallel',
  environment: (hook, input) => protocol().environmentOf(hook, input),
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
  givesHooksOf: (host, given) => host === 'claude-code' && 'cursor_version' in given,
});

/** Cursor's hooks, from the files named `hooks.json`. */
export const cursor: Dialect = cursorWith();

/** The same command listed twice runs twice. */
function identityOf({ file, place }: HookDefinition): string {
  return `${file} ${place}`;
}
