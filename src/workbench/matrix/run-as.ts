import type { Dialect } from '../../core/dialects/dialect.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { Ignored } from '../../core/answers/answer.ts';
import type { HookHost } from '../../core/host/config.ts';
import { HookSystem } from '../../hosts/system/hook-system.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { outcomeAtHost, outcomeOf, type Outcome } from './outcome.ts';
import { withRunArgs, type Script } from './script.ts';

/** An event to try a hook with, in canonical form. */
export interface Trial {
  readonly event: HookEventName;
  readonly fields: HookEventFields[HookEventName];
  readonly context: EventContext;
  readonly cwd: string;
}

/** The outcome of a hook in one dialect. */
export interface Row {
  readonly dialect: string;
  /** The dialect's own name for the event. */
  readonly event: string;
  readonly host: Outcome;
  readonly here: Outcome;
  /** What counts here, but not in its own host. */
  readonly ignored?: Ignored;
  readonly notes: readonly string[];
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Why the hook counts as failed. */
  readonly error?: string;
}

/** A dialect's own names for an event, each of which may have a form of its own. */
export function namesOf({ events }: Dialect, event: HookEventName): readonly string[] {
  const names = Object.keys(events).filter((name) => events[name] === event);
  return names.includes(event) ? [event] : names;
}

/** Runs a script as the only hook of a dialect; undefined if its hooks do not run for such an event. */
export async function runAs(
  dialect: Dialect,
  name: string,
  script: Script,
  { event, fields, context, cwd }: Trial,
): Promise<Row | undefined> {
  const hook = definitionOf(dialect, name, event, script);
  const system = systemWith(dialect, hook, cwd);
  await system.initialize();
  const result = await system.getEventHandler().fire(event, fields, { ...context, canAsk: true });
  system.dispose();
  const [answer] = result.results;
  if (answer === undefined) return undefined;
  const { ignored, notes, exitCode, signal, timedOut, error } = answer;
  const here = outcomeOf(result.verdict, fields);
  return {
    dialect: dialect.name,
    event: name,
    host: outcomeAtHost(here, ignored),
    here,
    ...(ignored && { ignored }),
    notes,
    exitCode: signal === undefined ? exitCode : null,
    ...(signal !== undefined && { signal }),
    timedOut,
    ...(error && { error: error.message }),
  };
}

/** A hook system with only this hook. */
export const systemWith = (dialect: Dialect, hook: HookDefinition, cwd: string): HookSystem =>
  new HookSystem(hostWith(withOnly(dialect, hook), cwd));

/** The script as a hook of a dialect's event. */
export const definitionOf = (
  { runArgs }: Dialect,
  name: string,
  event: HookEventName,
  script: Script,
): HookDefinition => ({
  env: {},
  ...withRunArgs(script, runArgs),
  event,
  ...(name !== event && { nativeEvent: name }),
  type: 'command',
  sequential: false,
  source: 'user',
  place: 'matrix',
});

/** Makes a dialect load what it needs, which some do when they look for hooks. */
export async function readyToFind(dialect: Dialect, cwd: string): Promise<void> {
  await dialect.find({
    cwd,
    settings: () => [],
    ignoresProject: true,
    trusts: () => false,
    run: () => Promise.reject(new Error('No program is run here.')),
  });
}

/** A dialect that finds only this hook, whatever it is for. */
function withOnly(dialect: Dialect, hook: HookDefinition): Dialect {
  const { settings: _, ...others } = dialect;
  return {
    ...others,
    needsSwitch: false,
    mayBeIn: () => true,
    async find({ cwd }) {
      await readyToFind(dialect, cwd);
      return { definitions: [hook], problems: [], unasked: [] };
    },
  };
}

/** A host without settings, so that only the hook has a say. */
const hostWith = (dialect: Dialect, cwd: string): HookHost => ({
  getEnableHooks: () => true,
  getHooks: () => undefined,
  getHookSources: () => [],
  getSessionId: () => 'matrix',
  getWorkingDir: () => cwd,
  getDialects: () => [dialect],
  onWarning: () => undefined,
});
