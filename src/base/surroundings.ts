import type { AsyncLocalStorage } from 'node:async_hooks';
import { homedir, tmpdir, userInfo } from 'node:os';

/**
 * What an event finds around it. Usually that is its process, which the agent started for it. In the warm
 * process, each event has surroundings of its own, which are those of the process that the agent started.
 */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Takes what the event's process would write to stderr. */
  readonly writeError: (text: string) => void;
  /**
   * Called with the hook's `sharingKey` just before it begins; throws if the event is no longer ours, so that
   * the hook must not begin.
   */
  readonly beforeHook: (sharing: string) => void;
}

interface Known extends Surroundings {
  readonly kept: Map<object, unknown>;
  readonly atEnd: (() => void)[];
}

/** Only the warm process has one. */
let events: AsyncLocalStorage<Known> | undefined;

function here(): Known | undefined {
  if (events === undefined) return undefined;
  const known = events.getStore();
  // The surroundings of this process belong to no event; a wrong environment could disarm a guard.
  if (known === undefined) throw new Error('hookmachine lost the event that this belongs to');
  return known;
}

/** Does the work of an event in its surroundings, and then whatever was left to their end. */
export async function inSurroundings<Result>(
  around: Surroundings,
  work: () => Promise<Result>,
): Promise<Result> {
  const { AsyncLocalStorage: Storage } = process.getBuiltinModule('node:async_hooks');
  events ??= new Storage<Known>();
  const known: Known = { ...around, kept: new Map(), atEnd: [] };
  try {
    return await events.run(known, work);
  } finally {
    for (const end of known.atEnd) end();
  }
}

/** Binds a function to the event that it belongs to, for a queue that events share. */
export function boundToEvent(work: () => void): () => void {
  const store = events;
  const known = store?.getStore();
  return store !== undefined && known !== undefined ? () => store.run(known, work) : work;
}

/** The environment of the process that the agent started. */
export const environment = (): NodeJS.ProcessEnv => here()?.env ?? process.env;

/**
 * The folder of the process that the agent started.
 *
 * @throws if it is gone
 */
export const currentFolder = (): string => here()?.folder ?? process.cwd();

/** As `os.homedir`. */
export function userHome(): string {
  const known = here();
  return known === undefined ? homedir() : (known.env['HOME'] ?? userInfo().homedir);
}

/** As `os.tmpdir`. */
export function temporaryFolder(): string {
  const env = here()?.env;
  if (env === undefined) return tmpdir();
  const named = env['TMPDIR'] || env['TMP'] || env['TEMP'] || '/tmp';
  return named.length > 1 && named.endsWith('/') ? named.slice(0, -1) : named;
}

/** Writes to the stderr of the process that the agent started. */
export function writeError(text: string): void {
  const known = here();
  if (known) known.writeError(text);
  else process.stderr.write(text);
}

/**
 * Called just before a hook begins.
 *
 * @throws if the event is no longer ours, so that the hook must not begin
 */
export function beforeHook(sharing: string): void {
  here()?.beforeHook(sharing);
}

/** Returns what a process keeps from one event to the next, and the warm process does not. */
export function keptInProcess<Kept>(make: () => Kept): () => Kept {
  const key = {};
  let ours: { readonly kept: Kept } | undefined;
  return () => {
    const known = here();
    if (known === undefined) return (ours ??= { kept: make() }).kept;
    if (!known.kept.has(key)) known.kept.set(key, make());
    return known.kept.get(key) as Kept;
  };
}

/** Calls back when the process that the agent started ends. */
export function atProcessEnd(end: () => void): void {
  const known = here();
  if (known) known.atEnd.push(end);
  else process.once('exit', end);
}
