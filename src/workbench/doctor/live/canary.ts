import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { oneLine } from '../../../base/log.ts';
import { canaryReason, canaryVariable } from '../../../hosts/relay/canary.ts';
import type { Finding } from '../finding.ts';
import { liveAgents } from './agents.ts';
import { serveModel } from './model-server.ts';

/** How long an agent may take for one call, in ms. */
const patience = 120_000;

/** How a canary ended. */
export interface CanaryReport {
  readonly agent: string;
  /** The agent asked, and obeyed the denial. */
  readonly isDenied: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Has an agent make one call that must be denied: a model on this machine asks for a shell command that makes a
 * file, and the relay denies whatever names it. Undefined for an agent that cannot be run without a person.
 */
export async function runCanary(
  agent: string,
  title: string,
  program: string,
  cwd: string,
): Promise<CanaryReport | undefined> {
  const live = liveAgents[agent];
  if (live === undefined) return undefined;
  const token = `hookmachine-canary-${randomUUID()}`;
  const file = join(tmpdir(), token);
  const server = await serveModel([live.shell(`touch ${file}`)]);
  try {
    const { all } = await execa(program, live.args(server.url), {
      cwd,
      env: { ...live.env(server.url), [canaryVariable]: token, NO_COLOR: '1' },
      stdin: 'ignore',
      all: true,
      reject: false,
      timeout: patience,
      forceKillAfterDelay: 1_000,
      maxBuffer: 1024 * 1024,
    });
    const isDenied = server.requests.some((request) => request.includes(canaryReason));
    const finding = existsSync(file)
      ? ranIt(title)
      : isDenied
        ? undefined
        : unclear(title, all, server.requests.length);
    return {
      agent,
      isDenied: isDenied && finding === undefined,
      findings: finding === undefined ? [] : [{ agent, ...finding }],
    };
  } finally {
    rmSync(file, { force: true });
    await server.close();
  }
}

const ranIt = (title: string): Omit<Finding, 'agent'> => ({
  code: 'canary-ran',
  level: 'off',
  message: `${title} ran a call that must be denied`,
  fix: 'see the other findings; start the agent anew, and have it trust the entries',
});

const unclear = (title: string, printed = '', requests = 0): Omit<Finding, 'agent'> => ({
  code: 'canary-unclear',
  level: 'warning',
  message: `${title} neither ran the call nor was denied it${requests === 0 ? ', and asked no model' : ''}: ${oneLine(printed.trim().split('\n').at(-1) ?? '', 200)}`,
  fix: 'run the agent by hand: it may have to be set up, or to trust the folder',
});
