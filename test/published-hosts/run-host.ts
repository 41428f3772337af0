import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { tokenVariable } from '../../src/hosts/parts/relay-entry.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { starter } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';
import { startServe } from '../support/serve.ts';
import { pathFor, programOf } from './installed.ts';
import { serveModel, type WantedCall } from '../../src/workbench/doctor/live/model-server.ts';
import type { RealHost } from './real-host.ts';

/** How a host is run. */
export interface HostRunOptions {
  /** The calls that its model asks for at once; default: `touch ran`. */
  readonly calls?: (project: string) => readonly WantedCall[];
  /** Makes it post to `serve`, which is running or not, instead of running a command. */
  readonly serve?: 'up' | 'away';
  /**
   * Has the agent install a plugin in place of `hookmachine install`: `agent` runs the agent with these
   * arguments, and `home` is the user's folder.
   */
  readonly plugin?: (
    agent: (...args: readonly string[]) => Promise<void>,
    home: string,
  ) => void | Promise<void>;
}

/** A running host. */
export interface RunningHost {
  readonly pid: number;
  readonly project: string;
  /** Whether a file exists that the tool, or a hook, makes. */
  readonly made: (file: string) => boolean;
  /** The requests to the model, in order. */
  readonly requests: readonly string[];
  /** What it printed; resolves when the host has ended. */
  readonly output: Promise<string>;
  readonly kill: () => void;
}

/** The outcome of one run of a host. */
export interface HostRun extends Omit<RunningHost, 'output'> {
  readonly output: string;
}

type Files = Readonly<Record<string, unknown>>;

/** Starts a host with the relay installed and these files in its project. */
export async function startHost(
  { name, args, shell, files, env: envOf, leaves, scope = 'project' }: RealHost,
  own: Files,
  { calls = () => [shell('touch ran')], serve, plugin }: HostRunOptions = {},
): Promise<RunningHost> {
  const box = sandbox();
  const { project, home } = box;
  const server = await serveModel(calls(project));
  onTestFinished(server.close);
  for (const [file, content] of Object.entries(files(server.url, project)))
    box.write(resolve(home, file), content);
  for (const [file, content] of Object.entries(own)) box.write(join(project, file), content);
  const via = serve ? ['--via', 'http', '--accept-fail-open'] : [];
  const command = JSON.stringify(starter);
  if (!plugin)
    await hookmachine(box, ['install', name, '--scope', scope, '--command', command, ...via]);
  const served = serve && (await startServe(box));
  if (serve === 'away') {
    served!.running.kill();
    await served!.running;
  }
  const settings = {
    cwd: project,
    env: {
      ...box.env,
      PATH: plugin ? `${binOf(home)}:${pathFor(name)}` : pathFor(name),
      HOOKMACHINE_TRUST: '1',
      NO_COLOR: '1',
      ...envOf(server.url),
      ...(served && { [tokenVariable]: served.token }),
    },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
  } as const;
  await plugin?.(
    async (...given) =>
      void (await execa(programOf(name)!, given, { ...settings, timeout: 60_000 })),
    home,
  );
  const running = execa(programOf(name)!, args, {
    ...settings,
    reject: false,
    // Only a host that hangs takes this long, even on a busy machine.
    timeout: 200_000,
    forceKillAfterDelay: 1_000,
  });
  const kill = (): void => void running.kill('SIGKILL');
  onTestFinished(kill);
  if (leaves !== undefined) onTestFinished(() => endWith(leaves, project));
  return {
    pid: running.pid!,
    project,
    made: (file) => existsSync(join(project, file)),
    requests: server.requests,
    output: running.then(({ all }) => all),
    kill,
  };
}

/** Runs a host to its end. */
export async function runHost(
  ...[host, own, options]: Parameters<typeof startHost>
): Promise<HostRun> {
  const running = await startHost(host, own, options);
  return { ...running, output: await running.output };
}

/** A folder on the search path in which the user has put hookmachine. */
function binOf(home: string): string {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(starter, join(bin, 'hookmachine'));
  return bin;
}

/** Ends the processes that have both in their command lines. */
function endWith(...parts: readonly string[]): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (parts.every((part) => line.includes(part))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
}
