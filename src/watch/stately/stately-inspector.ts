import { messageOf } from '../../base/message-of.ts';
import type { InspectObserver } from '../../core/host/config.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import { redactor } from '../../settings/redaction/redactor.ts';
import { debugChannel, warn, type WarningSink } from '../../base/log.ts';
import { connect, type Connection } from './connect.ts';
import { serveRelay } from './serve-relay.ts';
import { loadStately } from './stately-package.ts';
import { reportedEvent } from './reported-event.ts';

const debug = debugChannel('system');

export interface StatelyInspectorOptions extends BridgeOptions {
  /**
   * The project whose settings say what is redacted, in addition to `redact`; default: the process's working
   * directory.
   */
  readonly cwd?: string;
}

interface BridgeOptions {
  /**
   * The URL of a WebSocket server on this machine that speaks Stately's protocol. Default: a page of our own,
   * which embeds Stately's.
   */
  readonly url?: string;
  /** Whether contexts, results and the data of events are sent too; default: false. */
  readonly payloads?: boolean;
  /** What is never sent: names of keys, and expressions written as `/…/flags`. */
  readonly redact?: readonly string[];
  /** Receives warnings, one line each; default: stderr. */
  readonly onWarning?: WarningSink;
}

/** A bridge to Stately's inspector. */
export interface StatelyInspector {
  /** To be passed as a config's `inspect`. It never throws. */
  readonly observe: InspectObserver;
  /** The page to open, or the server that receives the events. */
  readonly url: string;
  close(): void;
}

/**
 * Shows machines in Stately's inspector, with the optional package `@statelyai/inspect`. Its page comes from
 * stately.ai and receives, within the browser, what is inspected. The server listens on the loopback address
 * only and does not keep the process alive. It is closed when the process ends, which waits up to 2 s for a
 * server at `url` to take what is left.
 *
 * @example
 * const stately = await statelyInspector();
 * const config = createConfig({ cwd: process.cwd(), inspect: stately.observe });
 * console.error(`Open ${stately.url}`);
 *
 * @throws {StatelyError} if the package is missing, or the address is not on this machine
 * @throws {RedactionError} if payloads are requested and a redaction rule is broken
 */
export async function statelyInspector({
  cwd = process.cwd(),
  ...options
}: StatelyInspectorOptions = {}): Promise<StatelyInspector> {
  const redact = redactedIn(cwd, options, (line) => warn(options.onWarning, line));
  return bridgeToStately({ ...options, redact });
}

/** Connects to Stately for a host that has read the settings itself. */
export async function bridgeToStately({
  url,
  payloads = false,
  redact,
  onWarning,
}: BridgeOptions): Promise<StatelyInspector> {
  const { createInspector } = await loadStately();
  const { connection, address } = await open(url, (why) =>
    warn(
      onWarning,
      `${url}: Stately's inspector can no longer be reached (${why}); nothing more is sent to it`,
    ),
  );
  const redaction = payloads ? redactor(redact, (text) => warn(onWarning, text)) : undefined;
  const { inspect } = createInspector({
    send: (message) => connection.send(JSON.stringify(message)),
  });
  const close = (): void => {
    process.off('beforeExit', close);
    connection.close();
  };
  process.once('beforeExit', close);
  return {
    url: address,
    observe(event) {
      try {
        const seen = reportedEvent(event, redaction);
        if (seen) inspect.next?.(seen);
      } catch (error) {
        debug('could not report %s to Stately: %s', event.type, messageOf(error));
      }
    },
    close,
  };
}

async function open(
  url: string | undefined,
  onGivenUp: (why: string) => void,
): Promise<{ connection: Connection; address: string }> {
  if (url !== undefined) return { connection: connect(url, onGivenUp), address: url };
  const relay = await serveRelay();
  return { connection: relay, address: relay.url };
}
