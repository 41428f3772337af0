import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copilotWith } from '../../src/hosts/copilot/index.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookSystem } from '../../src/hosts/system/hook-system.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { firing } from './again.ts';
import { sandbox, type Sandbox } from './sandbox.ts';
import { quoted } from './session.ts';

/** A sandbox whose project, home and administrator may hold Copilot's hooks. */
export interface CopilotBox extends Sandbox {
  /** The dialect, with the sandbox's administrator. */
  readonly dialect: Dialect;
  /** The administrator's folder. */
  readonly policies: string;
  /** Puts a file of hooks into the project, and returns its path. */
  readonly local: (config: unknown, name?: string) => string;
  /** Puts a file of hooks into the home folder, and returns its path. */
  readonly global: (config: unknown, name?: string) => string;
  /** What hooks left in a file of the project; '' when it is not there. */
  readonly left: (file: string) => string;
  /** A hook system that reads the sandbox as a session there would. */
  readonly start: (options?: Partial<CreateConfigOptions>) => Promise<CopilotSession>;
}

export interface CopilotSession {
  readonly system: HookSystem;
  readonly warnings: readonly string[];
  readonly fire: <Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ) => Promise<AggregatedHookResult>;
  /** The hooks found, as `source event: command`. */
  readonly found: () => string[];
}

/** Makes a sandbox for Copilot's hooks, for the running test. */
export function copilotBox(): CopilotBox {
  const box = sandbox();
  const { home, project } = box;
  const policies = join(box.systemFolder, 'github-copilot/policy.d');
  const dialect = copilotWith({ policies });
  return {
    ...box,
    dialect,
    policies,
    local: (config, name = 'hooks.json') => box.write(join(project, '.github/hooks', name), config),
    global: (config, name = 'hooks.json') => box.write(join(home, '.copilot/hooks', name), config),
    left(file) {
      const path = join(project, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
    async start(options = {}) {
      const warnings: string[] = [];
      const config = createConfig({
        cwd: project,
        onWarning: (line) => warnings.push(line),
        isTrustedFolder: () => true,
        systemFolder: box.systemFolder,
        dialects: [dialect],
        ...options,
      });
      const system = config.getHookSystem()!;
      await system.initialize();
      return {
        system,
        warnings,
        fire: firing(system, project),
        found: () =>
          system
            .getRegistry()
            .getAllHooks()
            .map(({ source, nativeEvent, name }) => `${source} ${nativeEvent}: ${name}`),
      };
    },
  };
}

/** A hook: shell text, or its fields. */
export type CopilotHook = string | Readonly<Record<string, unknown>>;

/** A file with hooks for one event. */
export const hooksOf = (event: string, ...hooks: readonly CopilotHook[]): object => ({
  version: 1,
  hooks: {
    [event]: hooks.map((hook) =>
      typeof hook === 'string' ? { type: 'command', bash: hook } : hook,
    ),
  },
});

/** A command that prints an answer: a text as it is, anything else as JSON. */
export const printing = (answer: unknown): string =>
  `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`;

/** A denial before a tool, in Copilot's form. */
export const denial = { permissionDecision: 'deny', permissionDecisionReason: 'not here' } as const;
