import type { HookBusError, MessageBus } from '../../core/bus/message-bus.ts';
import { type BusRequest, serveHookRequests } from '../../core/bus/serve-hook-requests.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { HookmachineError } from '../../base/errors.ts';
import { debugChannel, tellOnce } from '../../base/log.ts';
import { isHookEventName, type HookEventName } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import type { SettingsNote } from '../../core/definitions/settings.ts';
import {
  startGate,
  trustGate,
  type StartGate,
  type TrustGate,
} from '../../core/plan/trust-gate.ts';
import type { HookHost, InspectObserver } from '../../core/host/config.ts';
import { dialectsOf, findAllHooks, type DialectHooks } from './find-hooks.ts';
import { HookEventHandler } from '../../core/run/hook-event-handler.ts';
import { HookPlanner } from '../../core/plan/hook-planner.ts';
import { HookRegistry } from './hook-registry.ts';
import { loadHandlers, useHandlers } from '../../handlers/index.ts';
import { addObserver } from '../../core/run/telemetry.ts';
import {
  HookTelemetry,
  type HookTelemetryEvents,
  type HookTelemetryListener,
} from '../../core/run/telemetry.ts';
import { handlers, runProgram } from './handlers.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { onDemand } from '../../base/on-demand.ts';
import { messageOf } from '../../base/message-of.ts';

const loadStartAudit = onDemand(() => import('../../watch/audit/start-audit.ts'));
const loadUnawaitedHooks = onDemand(() => import('../../core/run/unawaited-hooks.ts'));

const debug = debugChannel('system');

/** Thrown by accessors of a hook system that has not been initialised. */
export class HookSystemNotInitializedError extends HookmachineError {
  override readonly name = 'HookSystemNotInitializedError';
  constructor() {
    super(
      'HOOK_SYSTEM_NOT_INITIALIZED',
      'The hook system is not initialised: await initialize() first.',
    );
  }
}

interface Parts {
  readonly found: readonly DialectHooks[];
  /** Some guards could not be read, so that others stand in for them, or they can be read again soon. */
  readonly hasLostGuards: boolean;
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  readonly handler: HookEventHandler;
}

const definitionsOf = (found: readonly DialectHooks[]): readonly HookDefinition[] =>
  found.flatMap(({ definitions }) => definitions);

/** Owns the one registry, planner and event handler of a session. */
export class HookSystem {
  readonly #config: HookHost;
  readonly #switched = new Map<string, boolean>();
  readonly #noted = new Set<string>();
  readonly #telemetry = new HookTelemetry();
  readonly #warn: (text: string) => void;
  readonly #trusts: TrustGate;
  readonly #mayStart: StartGate;
  readonly #dialects: readonly Dialect[] | undefined;
  /** Settles when no hooks are being looked up and nothing is queued behind that. */
  #loading: Promise<void> = Promise.resolve();
  #retrying: Promise<void> | undefined;
  #parts: Parts | undefined;
  #stopServing: (() => void) | undefined;
  #audited: { readonly settings: string; readonly stop: () => void } | undefined;
  #disposed = false;

  /**
   * Reads nothing yet; see `initialize`. Requests on the bus are answered from now on, and the
   * first one initialises; without a bus here, `initialize` asks `config.getMessageBus`. `dialects` are those
   * whose hooks run; default: what `config.getDialects` returns, otherwise only LLxprt's.
   */
  constructor(config: HookHost, messageBus?: MessageBus, dialects?: readonly Dialect[]) {
    this.#config = config;
    this.#dialects = dialects;
    this.#warn = tellOnce((line, plain) => this.#telemetry.warn(config.onWarning, line, plain));
    this.#trusts = trustGate(config, this.#warn);
    this.#mayStart = startGate(config, this.#warn);
    this.#serve(messageBus);
  }

  /**
   * Finds and validates the hooks, once; later calls return at once. Faulty definitions
   * are reported as warnings, not thrown. If the host's config throws, so does this, and the next call tries
   * again. Concurrent calls share one search.
   */
  async initialize(): Promise<void> {
    if (this.#parts === undefined)
      await this.#inTurn(async () => {
        if (this.#parts === undefined) await this.#load();
      });
  }

  /**
   * Rereads changed settings. A plan that is already running is not touched; the next one is new. A settings file that can no longer be parsed counts as it was before.
   */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#disposed) return;
      this.#config.reloadSettings?.();
      await this.#load();
    });
  }

  /**
   * Enables or disables hooks by name or command, from the next plan on and across reloads. The
   * administrator's hooks, and those the administrator disabled, stay as they are.
   */
  setHookEnabled(name: string, enabled: boolean): void {
    this.#switched.set(name, enabled);
    if (this.#parts !== undefined) this.#compose(this.#parts.found);
  }

  /**
   * Whether any hook matches this event and this tool name (or a session event's source, reason or trigger);
   * the hook may turn out not to be trusted. Synchronous, without disk or process. Before
   * `initialize` this is not known, so it returns true for any event.
   */
  hasHooksFor(event: HookEventName, subject?: string): boolean {
    if (this.#disposed) return false;
    if (this.#parts === undefined) return true;
    const { planner, handler } = this.#parts;
    return (
      handler.refusesUnasked(event) || planner.hasMatch(event, subject) || handler.hasLate(event)
    );
  }

  /** Whether settings whose guards are unknown must be tried again before the next event. */
  hasUnknownGuards(): boolean {
    if (this.#disposed) return false;
    const config = this.#config;
    return (
      (config.getUnknownGuards?.()?.length ?? 0) + (config.getUnreadFiles?.()?.length ?? 0) > 0 ||
      this.#parts?.hasLostGuards === true
    );
  }

  /**
   * Tries such settings again, once for all concurrent callers. Never rejects: what is unknown stays unknown.
   */
  retryUnknownGuards(): Promise<void> {
    return (this.#retrying ??= this.reload()
      .catch((error: unknown) =>
        this.#warn(`the settings could not be read again: ${messageOf(error)}`),
      )
      .finally(() => (this.#retrying = undefined)));
  }

  /**
   * Lets an observer see every machine that is started from now on, in addition to the host's own `inspect`.
   * Returns a function that stops it.
   *
   * @example
   * const stop = hookSystem.observe(journalTo((entry) => console.log(entry)).observe);
   */
  observe(observer: InspectObserver): () => void {
    return addObserver(this.#config, observer);
  }

  /** The config the system was created with. */
  get config(): HookHost {
    return this.#config;
  }

  /** @throws {HookSystemNotInitializedError} before `initialize` */
  getRegistry(): HookRegistry {
    return this.#initialized().registry;
  }

  /** @throws {HookSystemNotInitializedError} before `initialize` */
  getEventHandler(): HookEventHandler {
    return this.#initialized().handler;
  }

  /** Whether the system is initialised, and how many hooks it has, disabled ones included. */
  getStatus(): { initialized: boolean; totalHooks: number } {
    return {
      initialized: this.isInitialized(),
      totalHooks: this.#parts?.registry.getAllHooks().length ?? 0,
    };
  }

  isInitialized(): boolean {
    return this.#parts !== undefined;
  }

  /**
   * Listens to what hooks do; nothing leaves the process. A listener that throws changes no decision. Returns
   * a function that stops it.
   *
   * @example
   * const stop = hookSystem.on('hook:result', ({ hook, durationMs }) => chart(hook, durationMs));
   */
  on<Name extends keyof HookTelemetryEvents>(
    name: Name,
    listener: HookTelemetryListener<Name>,
  ): () => void {
    return this.#telemetry.on(name, listener);
  }

  /**
   * Ends the system: running events finish, nothing fires any more, and the bus is left.
   */
  dispose(): void {
    this.#disposed = true;
    this.#stopServing?.();
    this.#config.stopWatchingSettings?.();
    this.#parts?.handler.dispose();
    this.#audited?.stop();
    void useHandlers(this, [], this.#config.getWorkingDir());
  }

  #serve(bus: MessageBus | undefined): void {
    if (bus === undefined || this.#stopServing !== undefined || this.#disposed) return;
    try {
      this.#stopServing = serveHookRequests(bus, {
        fire: (request) => this.#fireFor(request),
        refused: (error) => this.#refused(error),
      });
    } catch (error) {
      this.#warn(
        `the message bus cannot be listened to (${messageOf(error)}); requests over it are not answered`,
      );
    }
  }

  async #fireFor({ event, fields }: BusRequest): Promise<AggregatedHookResult> {
    if (this.#parts === undefined) await this.initialize();
    return this.getEventHandler().fire(event, fields);
  }

  #refused({ message, details: { stage, eventName } }: HookBusError): void {
    const event = eventName !== null && isHookEventName(eventName) ? eventName : null;
    this.#telemetry.diagnose({ event, stage, message });
  }

  /** Runs loads one after another, so that the hooks found last are those that count. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#loading.then(work);
    this.#loading = done.catch(() => undefined);
    return done;
  }

  async #load(): Promise<void> {
    const dialects = this.#dialects ?? (await dialectsOf(this.#config));
    const found = await findAllHooks(
      this.#config,
      dialects,
      this.#mayStart,
      runProgram,
      this.#parts?.found,
    );
    // What runs them is loaded before the first event. What cannot be loaded now is loaded with its event, and
    // only its hook fails if that fails too.
    const hooks = definitionsOf(found);
    await Promise.allSettled([
      loadHandlers(hooks),
      ...(hooks.some((hook) => hook.async) ? [loadUnawaitedHooks()] : []),
    ]);
    this.#compose(found);
    await this.#audit();
    const inUse = this.#disposed ? [] : definitionsOf(found);
    await useHandlers(this, inUse, this.#config.getWorkingDir());
  }

  /** Starts recording what the administrator wants recorded, before the first event. */
  async #audit(): Promise<void> {
    const settings = this.#config.getAudit?.();
    const wanted = JSON.stringify(settings);
    if (wanted === this.#audited?.settings) return;
    this.#audited?.stop();
    this.#audited = undefined;
    if (settings === undefined || this.#disposed) return;
    try {
      const { startAudit } = await loadStartAudit();
      this.#audited = { settings: wanted, stop: await startAudit(settings, this, this.#warn) };
      if (this.#disposed) this.#audited.stop();
    } catch (error) {
      this.#warn(`this session is not audited: ${messageOf(error)}`);
    }
  }

  /** One planner and one handler live as long as the system, because callers keep them. */
  #compose(found: readonly DialectHooks[]): void {
    const config = this.#config;
    const messageBus = config.getMessageBus?.();
    const known = this.#parts?.registry.problems.map(formatProblem);
    const registry = new HookRegistry(config, found, this.#switched);
    const planner =
      this.#parts?.planner ??
      new HookPlanner(this.#warn, this.#trusts, { handlers, mayStart: this.#mayStart });
    const handler =
      this.#parts?.handler ?? new HookEventHandler(config, planner, this.#telemetry, this);
    // Settings that were reread may have switched hooks off.
    planner.use(config.getEnableHooks() ? registry : undefined);
    if (this.#disposed) handler.dispose();
    const hasLostGuards =
      definitionsOf(found).some(({ standsIn }) => standsIn === true) ||
      found.some(({ problems }) => problems.some(({ isPassing }) => isPassing));
    this.#parts = { found, hasLostGuards, registry, planner, handler };
    this.#serve(messageBus);
    // A problem that was fixed and has returned is reported again.
    for (const problem of registry.problems.map(formatProblem))
      if (!known?.includes(problem) && config.wasReported?.(problem) !== true)
        this.#telemetry.warn(config.onWarning, problem, { text: problem });
    for (const note of registry.taken) this.#noteOnce(note);
    debug('ready, hooks: %d', registry.getAllHooks().length);
  }

  #noteOnce(note: SettingsNote): void {
    const line = formatProblem(note.problem);
    if (this.#noted.has(line)) return;
    this.#noted.add(line);
    this.#config.onNote?.(note);
  }

  #initialized(): Parts {
    if (this.#parts === undefined) throw new HookSystemNotInitializedError();
    return this.#parts;
  }
}
