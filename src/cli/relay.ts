import type { Host } from '../dialects/dialect.ts';
import type { Speaker, HostAnswer } from '../dialects/speaker.ts';
import type { HookEventName } from '../hook-points.ts';
import { isFolder } from '../make-folder.ts';
import { callingHost } from './calling-host.ts';
import { tellUser } from './has-no-hook.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { print } from './print.ts';
import { projectFolder } from './project-folder.ts';
import { readStdinFirst } from './read-stdin.ts';
import { dialectsBeside, relayEvent } from './relay-event.ts';
import type { RelayOptions } from './relay-options.ts';
import { throughHooks } from './through-hooks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Hosts go on, and may end, while the hooks of these events are still running. */
const unawaited: readonly HookEventName[] = ['SessionEnd', 'Notification'];

/**
 * Acts as one hook of a host for all our hooks: takes its event through them, answers as the host expects,
 * and returns how many ran.
 */
export async function relay(
  asked: Host,
  named: string | undefined,
  options: RelayOptions,
): Promise<number> {
  const input = 'stdin';
  const given = parseJsonObject(await readStdinFirst(), input);
  const host = await callingHost(asked, given, options.trust);
  if (host === undefined) return 0;
  const dialects = dialectsBeside(host, options.dialects);
  const { answer, hookCount } = await relayEvent(
    { host, given, named },
    {
      input,
      naming: `name it, as in hookmachine relay ${host.name} EVENT`,
      projectOf: (speaker) => projectOf(speaker, given, options),
      through(fired, sessionId) {
        const { event, folder } = fired;
        const through = {
          ...options,
          cwd: folder,
          endsWithCaller: !unawaited.includes(event),
          ...(sessionId && { sessionId }),
        };
        return throughHooks(fired, dialects, through, sessionId);
      },
      ...(options.defer && {
        settle: async (call, outcome) => (await import('./deferred.ts')).deferred(call, outcome),
      }),
      warn: tellUser,
    },
  );
  printAnswer(answer);
  return hookCount;
}

function projectOf(
  { projectIn }: Speaker,
  given: Fields,
  { cwd: named }: Pick<RelayOptions, 'cwd'>,
): string {
  const folders = projectIn?.(given, process.env) ?? [];
  return projectFolder(
    named ?? folders.filter((folder) => typeof folder === 'string').find(isFolder) ?? '.',
  );
}

function printAnswer({ stdout, exitCode = 0 }: HostAnswer): void {
  process.exitCode = exitCode;
  if (stdout !== undefined)
    print(typeof stdout === 'string' ? stdout : `${JSON.stringify(stdout)}\n`);
}
