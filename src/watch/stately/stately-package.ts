import { createRequire } from 'node:module';
import type { InspectionEvent } from 'xstate';
import { messageOf } from '../../base/message-of.ts';
import { isNotInstalled, loadPackage } from '../../base/optional-package.ts';
import { StatelyError } from './stately-error.ts';

/**
 * The part of `@statelyai/inspect` that is used: its adapter, which produces the messages of its protocol.
 */
export interface StatelyPackage {
  readonly createInspector: (adapter: { send(message: object): void }) => {
    readonly inspect: { readonly next?: (event: InspectionEvent) => void };
  };
}

/** The part of `ws` that is used; that package depends on it. */
export interface WebSocketLike {
  readonly bufferedAmount: number;
  on(event: 'open' | 'close', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  send(text: string): void;
  close(): void;
  terminate(): void;
}

type WebSocketClass = new (url: string, options: object) => WebSocketLike;

const name = '@statelyai/inspect';

/**
 * Loads the optional package.
 *
 * @throws {StatelyError} if it is not installed
 */
export async function loadStately(wanted: string = name): Promise<StatelyPackage> {
  try {
    return (await loadPackage(wanted)) as StatelyPackage;
  } catch (cause) {
    throw notInstalled(cause, wanted);
  }
}

/** Loads the WebSocket class that the package itself uses; Node 20 has none. */
export function loadWebSocket(): WebSocketClass {
  try {
    // In a CommonJS bundle `import.meta.url` is missing, in an ES module `__filename`.
    const own = createRequire((import.meta as { url?: string }).url ?? __filename);
    return createRequire(own.resolve(name))('ws') as WebSocketClass;
  } catch (cause) {
    throw notInstalled(cause, name);
  }
}

function notInstalled(cause: unknown, wanted: string): StatelyError {
  return new StatelyError(
    isNotInstalled(cause, wanted)
      ? `Stately's inspector needs the package ${wanted}; install it where hookmachine is installed: npm i ${wanted}`
      : `the package ${wanted} cannot be loaded (${messageOf(cause)}); reinstall it`,
    { cause },
  );
}
