import { debugChannel, oneLine, warn, type WarningSink } from '../log.ts';
import { messageOf } from '../message-of.ts';
import type { HookBatchSummary, HookFailureDiagnostic, HookRecord } from './telemetry-records.ts';

const debug = debugChannel('event-handler');

/** What a hook system tells those who watch it; nothing leaves the process (DELTA-HTEL, C-101). */
export interface HookTelemetryEvents {
  /** One for each hook that ran. */
  'hook:result': HookRecord;
  /** One for each failure; a denial is none. */
  'hook:failure_diagnostic': HookFailureDiagnostic;
  /** One for each fired event. */
  'hook:batch_summary': HookBatchSummary;
  /** What the user is warned of, one line each. */
  warning: string;
}

export type HookTelemetryListener<Name extends keyof HookTelemetryEvents> = (
  told: HookTelemetryEvents[Name],
) => unknown;

interface Watcher {
  readonly listener: (told: never) => unknown;
}

/** Tells watchers what hooks do. A watcher that throws or rejects costs nobody a decision. */
export class HookTelemetry {
  readonly #watchers = new Map<keyof HookTelemetryEvents, Set<Watcher>>();

  /** Calls `listener` until the returned function is called. */
  on<Name extends keyof HookTelemetryEvents>(
    name: Name,
    listener: HookTelemetryListener<Name>,
  ): () => void {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers);
    const watcher: Watcher = { listener };
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
    };
  }

  /** Tells the watchers; with none, what to tell is not even made. */
  tell<Name extends keyof HookTelemetryEvents>(
    name: Name,
    make: () => HookTelemetryEvents[Name],
  ): void {
    const watchers = this.#watchers.get(name);
    if (watchers === undefined || watchers.size === 0) return;
    // All watchers get one and the same object.
    const told = Object.freeze(make());
    for (const { listener } of Array.from(watchers))
      void heard(name, () => listener(told as never));
  }

  /** Tells of a failure, in the debug log too. */
  diagnose(diagnostic: HookFailureDiagnostic): void {
    debug('hook:failure_diagnostic %o', diagnostic);
    this.tell('hook:failure_diagnostic', () => diagnostic);
  }

  /** Warns the user and tells the watchers. */
  warn(sink: WarningSink | undefined, text: string): void {
    warn(sink, text);
    this.tell('warning', () => oneLine(text));
  }
}

async function heard(name: string, listen: () => unknown): Promise<void> {
  try {
    await listen();
  } catch (error) {
    debug('a listener to %s threw: %s', name, messageOf(error));
  }
}
