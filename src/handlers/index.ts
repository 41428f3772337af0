import type { CallbackLogicFunction, EventObject } from 'xstate';
import type {
  Handler,
  HookCommand,
  HookExit,
  ProcessOrder,
  ProcessReport,
} from '../../machines/hook-process.ts';
import type { HookDefinition } from '../core/definitions/hook-definition.ts';
import { errorOf } from '../base/message-of.ts';
import { answerLimit, endWaiting, runHookCommand, withoutStacks } from './process/index.ts';
import type { Answering, HandlerAnswer, HandlerCall } from './handler.ts';
import { onDemand } from '../base/on-demand.ts';
import { sharingKey } from '../core/run/hook-commands.ts';
import { beforeHook } from '../base/surroundings.ts';

const loadGuardian = onDemand(() => import('./ask-guardian.ts'));
const loadFunction = onDemand(() => import('./function.ts'));
const loadHttp = onDemand(() => import('./http.ts'));
const loadLive = onDemand(() => import('./live.ts'));
const loadModule = onDemand(() => import('./module.ts'));
const loadPrompt = onDemand(() => import('./prompt.ts'));

type Kind = Handler['kind'];

const loaders: { readonly [K in Kind]: () => Promise<Answering<K>> } = {
  acs: async () => (await loadGuardian()).askGuardian,
  function: async () => (await loadFunction()).callFunction,
  http: async () => (await loadHttp()).answerByHttp,
  live: async () => (await loadLive()).askLive,
  module: async () => (await loadModule()).callModule,
  prompt: async () => (await loadPrompt()).askModel,
};

/** What answers hooks of these kinds, as far as it has been loaded. */
const loaded = new Map<Kind, Answering<Kind>>();

/** Loads what answers these hooks, so that no event has to. */
export async function loadHandlers(hooks: readonly Pick<HookDefinition, 'type'>[]): Promise<void> {
  const types = new Set(hooks.map(({ type }) => type));
  types.delete('command');
  types.delete('plugin');
  if (types.delete('cedar')) types.add('function');
  await Promise.all([...types].map((type) => answeringOf(type as Kind)));
}

async function answeringOf(kind: Kind): Promise<Answering<Kind>> {
  const known = loaded.get(kind);
  if (known !== undefined) return known;
  const answering = (await loaders[kind]()) as Answering<Kind>;
  loaded.set(kind, answering);
  return answering;
}

/** Who uses what is kept for a hook in a folder: several hook systems of a process may share it. */
const users = new Map<string, Set<object>>();

/** The hooks that each of them uses, by what tells them apart. */
const used = new WeakMap<object, ReadonlyMap<string, HookDefinition>>();

/**
 * From now on, a hook system uses these hooks and no others. Processes and threads that were kept for hooks
 * that nobody uses any more are ended.
 */
export async function useHandlers(
  user: object,
  hooks: readonly HookDefinition[],
  cwd: string,
): Promise<void> {
  const now = new Map(
    hooks
      .filter(({ type, prestart }) => type === 'live' || type === 'module' || prestart)
      .map((hook) => [JSON.stringify([sharingKey(hook), cwd]), hook]),
  );
  for (const key of now.keys()) users.set(key, (users.get(key) ?? new Set()).add(user));
  const before = used.get(user) ?? new Map<string, HookDefinition>();
  used.set(user, now);
  for (const [key, hook] of before) {
    if (now.has(key)) continue;
    const others = users.get(key);
    others?.delete(user);
    if (others?.size !== 0) continue;
    users.delete(key);
    await endKept(hook, cwd);
  }
}

async function endKept(hook: HookDefinition, cwd: string): Promise<void> {
  const { type, command, args, prestart } = hook;
  const sharing = sharingKey(hook);
  const shared = { command, cwd, sharing };
  if (prestart) endWaiting(sharing);
  if (type === 'live') (await loadLive()).endLive({ ...shared, ...(args && { args }) });
  if (type === 'module') (await loadModule()).endModule(shared);
}

/** The process port of the `hookProcess` machine, for hooks of every kind. */
export const runHook: CallbackLogicFunction<ProcessOrder, EventObject, HookCommand> = (actor) => {
  const { handler, sharing } = actor.input;
  // A function of this process does nothing that would count twice.
  if (sharing !== undefined && handler?.kind !== 'function') beforeHook(sharing);
  return handler === undefined ? runHookCommand(actor) : answerEvent(actor);
};

/**
 * Lets a handler answer one event, and reports on it as on a process. An order to end is obeyed at once: the
 * signal is aborted, and a later answer is ignored.
 */
const answerEvent: typeof runHook = ({ input, sendBack, receive }) => {
  const abort = new AbortController();
  let startedAt = performance.now();
  let isOver = false;
  let soFar: (() => HandlerAnswer) | undefined;
  const arriving: HandlerCall['arriving'] = (part) => (soFar = part);
  const end = (report: ProcessReport): void => {
    if (isOver) return;
    isOver = true;
    sendBack(report);
  };
  const exitOf = (exitCode: number | null, answer?: HandlerAnswer): HookExit =>
    exitAs(exitCode, performance.now() - startedAt, answer);
  const close = (answer: HandlerAnswer): void => {
    const error = answer.error ?? tooLong(answer.stdout);
    if (error === undefined) end({ type: 'process.closed', exit: exitOf(0, answer) });
    else end({ type: 'process.failed', error, exit: exitOf(null, { ...answer, stdout: '' }) });
  };
  const fail = (error: unknown): void => end({ type: 'process.failed', error: errorOf(error) });
  const started = (): void => {
    startedAt = performance.now();
    if (!isOver) sendBack({ type: 'process.started' } satisfies ProcessReport);
  };
  const begin = async (command: HookCommand): Promise<void> => {
    const handler = command.handler!;
    // It is usually loaded, and then nothing is awaited before the hook starts.
    const answering = loaded.get(handler.kind) ?? (await answeringOf(handler.kind));
    if (isOver) return;
    const stdin = command.stdin();
    const call = { command, stdin, signal: abort.signal, started, arriving };
    close(await answering(handler, call));
  };
  try {
    const admitted = input.admit?.() ?? input;
    if ('then' in admitted) {
      sendBack({ type: 'process.admitting' } satisfies ProcessReport);
      admitted.then(begin).catch(fail);
    } else begin(admitted).catch(fail);
  } catch (error) {
    fail(error);
  }
  const giveUp = (): void =>
    abort.abort(withoutStacks(() => new Error('this hook is no longer waited for')));
  receive(() => {
    end({ type: 'process.closed', exit: exitOf(null, soFar?.()) });
    giveUp();
  });
  return () => {
    isOver = true;
    giveUp();
  };
};

/** What a handler said, as a process would have ended with it. */
const exitAs = (exitCode: number | null, durationMs: number, answer?: HandlerAnswer): HookExit => ({
  exitCode,
  signal: null,
  stdout: answer?.stdout ?? '',
  stderr: answer?.stderr ?? '',
  truncated: [],
  durationMs,
  ...(answer?.notes && { notes: answer.notes }),
  ...(answer?.httpStatus !== undefined && { httpStatus: answer.httpStatus }),
});

/** An answer is limited just as a command's output is. */
function tooLong(stdout: string): Error | undefined {
  return stdout.length * 3 > answerLimit && Buffer.byteLength(stdout) > answerLimit
    ? new Error('its answer is over 10 MiB; answer with less')
    : undefined;
}
