import type { HookBusError, MessageBus } from '../bus/message-bus.ts';
import type { BusRequest } from '../bus/read-request.ts';
import { serveHookRequests } from '../bus/serve-hook-requests.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { debugChannel } from '../log.ts';
import { isHookEventName, type HookEventName } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { trustGate, type TrustGate } from '../trust/gate.ts';
import type { HookSystemConfig } from './config.ts';
import { dialectsOf } from './dialects-of.ts';
import { findAllHooks, type DialectHooks } from './find-hooks.ts';
import { HookEventHandler } from './hook-event-handler.ts';
import { HookPlanner } from './hook-planner.ts';
import { HookRegistry } from './hook-registry.ts';
import { loadMachines } from './load-machines.ts';
import { messageOf } from './message-of.ts';
import type { AggregatedHookResult } from './results.ts';
import {
  HookTelemetry,
  type HookTelemetryEvents,
  type HookTelemetryListener,
} from './telemetry.ts';
import { tellOnce } from './tell-once.ts';

const debug = debugChannel('system');

/** Thrown by accessors of a hook system that was not initialised (HOOK-005, 148). */
export class HookSystemNotInitializedError extends Error {
  override readonly name = 'HookSystemNotInitializedError';
  constructor() {
    super('The hook system is not initialised: await initialize() first.');
  }
}

interface Parts {
  readonly found: readonly DialectHooks[];
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  readonly handler: HookEventHandler;
}

/** Owns the one registry, planner and event handler of a session (HOOK-006, 142). */
export class HookSystem {
  readonly #config: HookSystemConfig;
  readonly #switched = new Map<string, boolean>();
  readonly #telemetry = new HookTelemetry();
  readonly #warn: (text: string) => void;
  readonly #trusts: TrustGate;
  readonly #dialects: readonly Dialect[] | undefined;
  /** Ends when hooks are neither being found nor waiting for it. */
  #loading: Promise<void> = Promise.resolve();
  #parts: Parts | undefined;
  #stopServing: (() => void) | undefined;
  #disposed = false;

  /**
   * Reads nothing yet; see `initialize` (HOOK-206). Requests on the bus are answered from now on, and
   * the first one initialises; without a bus here, `config.getMessageBus` is asked by `initialize`.
   * `dialects` are those whose hooks run; default: what `config.getDialects` says, else LLxprt's
   * alone.
   */
  constructor(config: HookSystemConfig, messageBus?: MessageBus, dialects?: readonly Dialect[]) {
    this.#config = config;
    this.#dialects = dialects;
    this.#warn = tellOnce((line) => this.#telemetry.warn(config.onWarning, line));
    this.#trusts = trustGate(config, this.#warn);
    this.#serve(messageBus);
  }

  /**
   * Finds and checks the hooks, once; later calls return at once (HOOK-003, 004, C-06). What is wrong
   * with a definition is warned of, not thrown. If the host's config throws, so does this, and the
   * next call tries again (G-07). Calls at the same time find them together (G-08).
   */
  async initialize(): Promise<void> {
    if (this.#parts === undefined)
      await this.#inTurn(async () => {
        if (this.#parts === undefined) await this.#load();
      });
  }

  /**
   * Reads changed settings again. A plan that runs already is not touched; the next one is new
   * (C-06, G-09). A settings file that broke counts as it was before.
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
   * administrator's hooks, and those the administrator disabled, stay as they are (DELTA-HSYS-002, G-09).
   */
  setHookEnabled(name: string, enabled: boolean): void {
    this.#switched.set(name, enabled);
    if (this.#parts !== undefined) this.#compose(this.#parts.found);
  }

  /**
   * Whether any hook would run for this event and this tool name (or a session event's source,
   * reason or trigger). Synchronous, without disk or process (HOOK-013, C-24).
   *
   * @throws {HookSystemNotInitializedError} before `initialize`
   */
  hasHooksFor(event: HookEventName, subject?: string): boolean {
    return !this.#disposed && this.#initialized().planner.plan(event, subject) !== undefined;
  }

  /** What the system was made for. */
  get config(): HookSystemConfig {
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

  /** HOOK-009. */
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
   * Watches what hooks do; nothing leaves the process. A listener that throws costs nobody a decision.
   * Returns what ends it.
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

  /** Ends the system: running events finish, nothing fires any more, and the bus is left (G-10, DELTA-HEVT-004). */
  dispose(): void {
    this.#disposed = true;
    this.#stopServing?.();
    this.#config.stopWatchingSettings?.();
    this.#parts?.handler.dispose();
  }

  #serve(bus: MessageBus | undefined): void {
    if (bus === undefined || this.#stopServing !== undefined || this.#disposed) return;
    try {
      this.#stopServing = serveHookRequests(bus, {
        fire: (request) => this.#fireFor(request),
        refused: (error) => this.#refused(error),
      });
    } catch (error) {
      this.#warn(`the message bus cannot be listened to (${messageOf(error)}); it goes on without`);
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

  /** One after another, so that the hooks found last are those that count. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#loading.then(work);
    this.#loading = done.catch(() => undefined);
    return done;
  }

  async #load(): Promise<void> {
    const dialects = this.#dialects ?? dialectsOf(this.#config);
    const found = await findAllHooks(this.#config, dialects, this.#trusts, this.#parts?.found);
    if (this.#config.getEnableHooks() && found.some(({ definitions }) => definitions.length > 0))
      await loadMachines();
    this.#compose(found);
  }

  /** One planner and one handler live as long as the system, for callers keep them (HOOK-006). */
  #compose(found: readonly DialectHooks[]): void {
    const config = this.#config;
    const messageBus = config.getMessageBus?.();
    const known = this.#parts?.registry.problems.map(formatProblem);
    const registry = new HookRegistry(config, found, this.#switched);
    const planner = this.#parts?.planner ?? new HookPlanner(this.#warn, this.#trusts);
    const handler = this.#parts?.handler ?? new HookEventHandler(config, planner, this.#telemetry);
    // Settings read again may have switched hooks off.
    planner.use(config.getEnableHooks() ? registry : undefined);
    if (this.#disposed) handler.dispose();
    this.#parts = { found, registry, planner, handler };
    this.#serve(messageBus);
    // A problem that was mended and is back is told again.
    for (const problem of registry.problems.map(formatProblem))
      if (!known?.includes(problem)) this.#telemetry.warn(config.onWarning, problem);
    debug('ready with %d hooks', registry.getAllHooks().length);
  }

  #initialized(): Parts {
    if (this.#parts === undefined) throw new HookSystemNotInitializedError();
    return this.#parts;
  }
}
