import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import {
  agentOf,
  type GatewayAgent,
  gatewayVariables,
  missedOf,
  ownUpstream,
} from '../../adapters/gateway/agents.ts';
import { type GatewayOptions, startGateway } from '../../adapters/gateway/gateway.ts';
import { upstreamsHere, type Upstreams } from '../../adapters/gateway/upstreams.ts';
import { makeFolder } from '../../base/folders.ts';
import { messageOf } from '../../base/message-of.ts';
import { warn, warnPlainly } from '../../base/log.ts';
import { readyHookSystem } from '../../core/calls/event-hooks.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { budgetOf } from '../../guards/budget/define-budget.ts';
import { forgetOldUsage, type UsageEntry } from '../../guards/budget/ledger.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { whichHooks } from '../../hosts/relay/no-hooks-option.ts';
import { reportMissingGuards } from '../../hosts/relay/report-missing.ts';
import { sessionNotes } from '../../hosts/relay/session-notes.ts';
import { onlyTrusted } from '../../hosts/relay/trust-option.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { readGuards } from '../../settings/files/read-guards.ts';
import { newToken } from '../../watch/inspector/serve-feed.ts';
import {
  inspected,
  type Inspected,
  type InspectOptions,
  portOf,
  untilInterrupted,
} from '../parts/inspect-option.ts';
import { print } from '../parts/print.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { recorded, type RecordingOptions } from '../parts/recording-option.ts';
import { keepPort, keptPort, keptToken } from '../serve/kept-address.ts';
import { replacedAddresses } from './replaced-addresses.ts';
import { followRelays } from './follow-relays.ts';
import { usageLine } from '../usage/usage-line.ts';

export interface GatewayCommandOptions extends RecordingOptions, InspectOptions {
  readonly cwd: string;
  readonly provider?: readonly string[];
  readonly port?: string;
  readonly save?: string;
  readonly json?: true;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
}

/** Sits between an agent and its model, until the agent ends, or until it is interrupted. */
export async function gateway(
  command: readonly string[],
  options: GatewayCommandOptions,
): Promise<void> {
  const folder = projectFolder(options.cwd);
  const [program, ...args] = command;
  const agent = program === undefined ? undefined : agentOf(program);
  const upstreams = upstreamsHere(
    { ...ownUpstream(agent), ...providersOf(options.provider) },
    replacedAddresses(),
  );
  if (options.hooks) await reportMissingGuards(folder);
  const { watching, add, done } = await inspected(folder, options, await recorded(folder, options));
  const config = configFor(folder, options, agent, watching);
  const missed = agent && missedOf(agent);
  if (missed !== undefined) warn(watching.onWarning, missed);
  await readyHookSystem(config);
  const used: UsageEntry[] = [];
  const isStanding = program === undefined;
  const asked = portOf(options.port, '--port');
  const port = asked ?? (isStanding ? await keptPort('gateway') : 0);
  const { url, close } = await startGateway({
    config,
    token: isStanding ? keptToken('gateway') : newToken(),
    port,
    upstreams,
    hidesSecrets: () => hidesSecrets(config),
    isOfOneAgent: !isStanding,
    budget: () => budgetOf(config.getHookSources?.() ?? []),
    warn: (line) => warn(watching.onWarning, line),
    onUsage: (entry) => used.push(entry),
    ...(options.save !== undefined && { onExchange: savingIn(options.save) }),
  }).catch((cause: unknown) => {
    throw new CommandFailure(`the gateway cannot listen on port ${port}: ${messageOf(cause)}`, { cause }); // prettier-ignore
  });
  forgetOldUsage();
  try {
    if (program === undefined) {
      keepPort(Number(new URL(url).port), 'gateway');
      tellAddresses(url, upstreams, options);
      await untilInterrupted();
    } else {
      if (options.json) print(`${JSON.stringify({ url })}\n`);
      const launch = { program, args: [...(agent?.args?.(url) ?? []), ...args], folder, env: gatewayVariables(url, agent) }; // prettier-ignore
      const release = leaveTerminal();
      try {
        process.exitCode = await runFollowed(launch, options, add);
      } finally {
        release();
      }
    }
  } finally {
    await close();
    config.getHookSystem()?.dispose();
    tellUsage(used, options);
    await done();
  }
}

/** The hooks that run around the agent's model calls: not its own, which it runs itself. */
const configFor = (
  folder: string,
  { dialects, hooks, trust }: GatewayCommandOptions,
  agent: GatewayAgent | undefined,
  watching: Inspected['watching'],
): HookSystemConfig =>
  createConfig({
    cwd: folder,
    watch: true,
    dialects: dialects ?? presentDialects,
    hostDialect: agent?.dialect,
    onNote: sessionNotes((line) => warnPlainly(watching.onWarning, line)),
    ...whichHooks(hooks),
    ...onlyTrusted(folder, trust),
    ...watching,
  });

/** Writes requests and answers to files that only the user can read. */
function savingIn(folder: string): NonNullable<GatewayOptions['onExchange']> {
  const at = absolute(folder);
  try {
    makeFolder(at, 0o700);
  } catch (cause) {
    throw new CommandFailure(`--save ${folder}: ${messageOf(cause)}`, { cause });
  }
  let isBroken = false;
  return (call, what, body) => {
    if (isBroken) return;
    const file = join(at, `${String(call).padStart(4, '0')}-${what}.json`);
    try {
      writeFileSync(file, body, { mode: 0o600 });
    } catch (error) {
      isBroken = true;
      warn(undefined, `--save: ${messageOf(error)}, so nothing more is saved`);
    }
  };
}

const recordsPayloads = ({ recordPayloads, inspectPayloads }: GatewayCommandOptions): boolean =>
  recordPayloads === true || inspectPayloads === true;

const providerShape = /^([\w-]+)=(https?:\/\/.+)$/;

function providersOf(given: readonly string[] = []): Upstreams {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, url] = providerShape.exec(text) ?? [];
      if (name === undefined || url === undefined)
        throw new CommandFailure(`--provider ${text}: write NAME=URL, such as openai=https://openrouter.ai/api/v1`); // prettier-ignore
      return [name, url];
    }),
  );
}

/** Whether the `secrets` guard is on at any level. */
const hidesSecrets = (config: HookSystemConfig): boolean =>
  (config.getHookSources?.() ?? []).some((from) =>
    readGuards(from).definitions.some(
      ({ strictness }) => strictness.secrets === 'on' || strictness.secrets === 'ask',
    ),
  );

/** Leaves the terminal to an agent that draws on it: what is to be said waits until the agent has ended. */
function leaveTerminal(): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => undefined;
  const write = stderr.write.bind(stderr);
  const said: string[] = [];
  stderr.write = (text: string | Uint8Array): boolean => {
    said.push(String(text));
    return true;
  };
  return () => {
    stderr.write = write;
    for (const text of said) write(text);
  };
}

/** How an agent is started. */
interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs an agent; what its relays record is recorded and shown here. */
async function runFollowed(
  launch: Launch,
  options: GatewayCommandOptions,
  add: Inspected['add'],
): Promise<number> {
  const { record } = options;
  if (add === undefined && record === undefined) return runAgent(launch);
  const relays = followRelays({ record, payloads: recordsPayloads(options) }, add);
  try {
    return await runAgent({ ...launch, env: { ...launch.env, ...relays.env } });
  } finally {
    relays.end();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs an agent in this terminal, and returns its exit status. */
function runAgent({ program, args, folder, env }: Launch): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
    // The terminal sends Ctrl-C to the agent too, which decides what it means.
    for (const name of signals) process.on(name, () => name !== 'SIGINT' && child.kill(name));
    child.once('error', (cause) =>
      reject(new CommandFailure(`${program} cannot be started: ${messageOf(cause)}`, { cause })),
    );
    child.once('close', (status, signal) =>
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

function tellAddresses(url: string, upstreams: Upstreams, { json }: GatewayCommandOptions): void {
  if (json) return print(`${JSON.stringify({ url, pid: process.pid, upstreams })}\n`);
  const lines = Object.entries(gatewayVariables(url, undefined)).map(
    ([name, value]) => `  export ${name}=${value}`,
  );
  print(
    `Model calls of agents with these addresses pass through here, until Ctrl-C:\n${lines.join('\n')}\n`,
  );
}

function tellUsage(used: readonly UsageEntry[], { json }: GatewayCommandOptions): void {
  if (json) return print(`${JSON.stringify({ usage: used })}\n`);
  if (used.length > 0) process.stderr.write(`hookmachine: ${usageLine(used)}\n`);
}
