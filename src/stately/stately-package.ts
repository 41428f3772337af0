import { createRequire } from 'node:module';
import type { InspectionEvent } from 'xstate';
import { messageOf } from '../hooks/message-of.ts';
import { StatelyError } from './stately-error.ts';

/** What is used of `@statelyai/inspect`: its adapter, which makes messages of its protocol. */
export interface StatelyPackage {
  readonly createInspector: (adapter: { send(message: object): void }) => {
    readonly inspect: { readonly next?: (event: InspectionEvent) => void };
  };
}

/** What is used of `ws`, which that package brings along. */
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
 * @throws {StatelyError} when it is not installed
 */
export async function loadStately(
  load: () => Promise<unknown> = () => import(name),
): Promise<StatelyPackage> {
  try {
    return (await load()) as StatelyPackage;
  } catch (cause) {
    throw notInstalled(cause);
  }
}

/** The WebSocket that the package uses itself; Node 20 has none. */
export function loadWebSocket(): WebSocketClass {
  try {
    const own = createRequire(import.meta.url);
    return createRequire(own.resolve(name))('ws') as WebSocketClass;
  } catch (cause) {
    throw notInstalled(cause);
  }
}

function notInstalled(cause: unknown): StatelyError {
  const { code } = cause as NodeJS.ErrnoException;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return new StatelyError(
    isMissing
      ? `Stately's inspector needs the package ${name}; install it where hookmachine is installed: npm i ${name}`
      : `the package ${name} cannot be loaded (${messageOf(cause)}); install it anew`,
    { cause },
  );
}
