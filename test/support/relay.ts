import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inProcess } from './in-process.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

/** A relay's answer to a host's event. */
export interface Relayed {
  readonly stdout: string;
  /** What stdout holds, if it is JSON. */
  readonly answer: unknown;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A project whose hooks in `.hookmachine/settings.json` are run by a relay. */
export interface RelayBox extends Sandbox {
  /** Writes the project's hooks: shell commands by hook point. */
  readonly guard: (hooks: Readonly<Record<string, string | readonly string[]>>) => void;
  /** Relays one event of a host. */
  readonly relay: (
    host: string,
    given: object | string,
    options?: { readonly event?: string; readonly env?: Readonly<Record<string, string>> },
  ) => Promise<Relayed>;
}

/** Makes such a project, for the running test. */
export function relayBox(): RelayBox {
  const box = sandbox();
  return {
    ...box,
    guard: (hooks) =>
      void box.write(box.own.project, {
        hooks: Object.fromEntries(
          Object.entries(hooks).map(([point, commands]) => [
            point,
            [{ hooks: [commands].flat().map((command) => ({ type: 'command', command })) }],
          ]),
        ),
      }),
    async relay(host, given, { event, env = {} } = {}) {
      const { stdout, stderr, exitCode } = await inProcess(
        { project: box.project, env: { ...box.env, CLAUDE_PROJECT_DIR: '', ...env } },
        ['relay', host, ...(event === undefined ? [] : [event])],
        typeof given === 'string' ? given : JSON.stringify(given),
      );
      return { stdout, answer: parsed(stdout), stderr, exitCode };
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A command that prints this answer. */
export const says = (answer: object): string => `echo '${JSON.stringify(answer)}'`;

/** Commands for what a guard may say, in our own dialect. */
export const guards = {
  allow: says({ decision: 'allow', reason: 'fine' }),
  deny: 'echo "not here" >&2; exit 2',
  silentDenial: 'exit 2',
  ask: says({ decision: 'ask', reason: 'sure?' }),
  stop: says({ continue: false, stopReason: 'enough' }),
  context: says({ hookSpecificOutput: { additionalContext: 'by the way' } }),
  message: says({ systemMessage: 'look' }),
  hide: says({ suppressOutput: true }),
  silence: 'exit 0',
  failure: 'exit 1',
} as const;

/** Gives the project a Kodelet executable that replaces the result of a tool. */
export function replacesResult({ write, project }: RelayBox): void {
  const file = write(
    join(project, '.kodelet/hooks/redact'),
    `#!/bin/sh
if [ "$1" = hook ]; then echo after_tool_call; else echo '{"output":{"metadata":{"output":"***"}}}'; fi
`,
  );
  chmodSync(file, 0o755);
}
