import { isAbsolute } from 'node:path';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { tokenVariable } from '../../hosts/parts/relay-entry.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { serveJournal, type LiveInspector } from '../../watch/inspector/start-inspector.ts';
import { observeAll } from '../../watch/journal/observe-all.ts';
import { warn, type WarningSink } from '../../base/log.ts';
import { answerHosts, type Posted } from './answer-hosts.ts';
import { keepPort, keptPort, keptToken, tokenFile } from './kept-address.ts';
import { isFolder } from '../../base/folders.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { hostNamed } from '../parts/host-named.ts';
import { standards } from './standards.ts';
import { portOf, untilInterrupted } from '../parts/inspect-option.ts';
import { print } from '../parts/print.ts';
import { printable } from '../parts/printable.ts';
import { recorded, type RecordingOptions } from '../parts/recording-option.ts';
import { dialectsBeside, knownEvent, relayEvent } from '../../hosts/relay/relay-event.ts';
import { leaveStamp } from '../../hosts/relay/last-seen.ts';
import { sessionProject } from '../../hosts/serve/session-project.ts';
import { WarmHooks } from '../../hosts/serve/warm-hooks.ts';
import { messageOf } from '../../base/message-of.ts';

export interface ServeOptions extends RecordingOptions {
  readonly port?: string;
  readonly json?: true;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
}

type Fields = Readonly<Record<string, unknown>>;

/** Answers hosts over HTTP as `relay` does, until it is interrupted. */
export async function serve(options: ServeOptions): Promise<void> {
  const token = keptToken();
  const port = portOf(options.port, '--port') ?? (await keptPort());
  const { inspect, onWarning } = await recorded(process.cwd(), options);
  // It outlives many folders, and must not keep any of them in use.
  process.chdir('/');
  let shown: LiveInspector | undefined;
  const tell: WarningSink = (line, plain) => {
    shown?.warned(line, plain);
    if (onWarning) onWarning(line, plain);
    else warn(undefined, line);
  };
  // If it ended, hosts would run tools unguarded; an event that is not judged in time is denied.
  process.on('uncaughtException', (error) =>
    tell(`something failed, and serve continues: ${messageOf(error)}`),
  );
  const spoken = standards({ token, warm: () => warm, dialects: options.dialects });
  const answers = answerHosts({
    token,
    tokenHint: `set ${tokenVariable} for the agent to the content of ${tokenFile()}`,
    answer: async (posted) => {
      const standard = Object.hasOwn(spoken, posted.host) ? posted.host : undefined;
      return standard === undefined
        ? answerTo(posted, warm, options, tell)
        : spoken[standard as keyof typeof spoken](posted);
    },
    // A request of that standard proves by its signature who asks.
    isSigned: (path) => path === '/acs',
    warn: tell,
  });
  const page = await serveJournal('hookmachine serve', { port, holdsProcess: true }, answers).catch(
    (cause: unknown) => {
      if (isHookmachineError(cause, 'PORT_UNAVAILABLE')) throw portTaken(port, cause);
      throw cause;
    },
  );
  const { origin, port: usedPort } = new URL(page.url);
  keepPort(Number(usedPort));
  shown = page;
  const warm = new WarmHooks({
    ...options,
    observe: observeAll(page.observe, inspect)!,
    warn: tell,
  });

  const interrupted = untilInterrupted();
  tellAddress(options, { url: origin, inspector: page.url });
  await interrupted;
  await answers.end();
  warm.close();
  page.end();
  await page.close();
}

/** Takes an event that a host posted through the hooks, and returns the answer for that host. */
async function answerTo(
  { host: name, event, input, signal: whileHostWaits }: Posted,
  warm: WarmHooks,
  options: ServeOptions,
  tell: WarningSink,
): Promise<object | undefined> {
  const host = hostNamed(name);
  const speaker = await host.speak();
  const installation = await host.install();
  if (installation.kind !== 'entries' || installation.overHttp === undefined)
    throw new CommandFailure(
      `${speaker.title} has no HTTP hooks: have it call hookmachine relay ${name}`,
    );
  const dialects = dialectsBeside(host, options.dialects);
  const naming = `post the event to /${name}/EVENT`;
  const known = knownEvent({ host, speaker, input }, event, { naming, warn: tell });
  if (known === undefined) return undefined;
  const startedAt = performance.now();
  const { answer, hooksTook = 0 } = await relayEvent(known, {
    projectOf: (_, sessionId) => projectOf(host, speaker, input.given, sessionId),
    async through(fired, sessionId, late) {
      const signal = AbortSignal.any([whileHostWaits, late]);
      const verdicts = await warm.through({ fired, host: name, sessionId, dialects, signal });
      // Hooks that were ended have judged nothing.
      signal.throwIfAborted();
      return verdicts;
    },
    warn: tell,
  });
  leaveStamp(host.name, known.event, {
    ms: performance.now() - startedAt,
    hooks: hooksTook,
    isWarm: true,
  });
  return typeof answer.stdout === 'object' ? answer.stdout : undefined;
}

function portTaken(port: number, cause: Error): CommandFailure {
  return new CommandFailure(
    `port ${port}, which the entries of agents name, is in use: is another hookmachine serve running? End it, or choose another port with --port and install the entries again`,
    { cause },
  );
}

/** The session's project, or else the folder that the host names. */
function projectOf(
  { name }: Host,
  { projectIn }: Speaker,
  given: Fields,
  sessionId: string | undefined,
): string {
  // This process's environment belongs to no session.
  const folders = [...(projectIn?.(given, {}) ?? []), given['cwd']];
  const folder = folders
    .filter((one) => typeof one === 'string')
    .find((one) => isAbsolute(one) && isFolder(one));
  if (folder === undefined)
    throw new CommandFailure(
      'the body does not name an existing project folder: its "cwd" must be the full path of one',
    );
  return sessionId === undefined ? folder : sessionProject(name, sessionId, folder);
}

function tellAddress(
  { json }: ServeOptions,
  { url, inspector }: { readonly url: string; readonly inspector: string },
): void {
  const file = tokenFile();
  if (json) return print(`${JSON.stringify({ url, pid: process.pid, tokenFile: file })}\n`);
  print(
    printable(
      [
        `Hooks are run for events that are posted to ${url}/HOST, until Ctrl-C.`,
        `Other engines ask at ${url}/acs (OWASP Agent Control Standard) and ${url}/agent-hooks (AGENT-HOOKS-0.1).`,
        `The token that agents must send is in ${file}; have it in their environment:`,
        `  export ${tokenVariable}="$(cat '${file}')"`,
        `Calls are shown at ${inspector}`,
        '',
      ].join('\n'),
    ),
  );
}
