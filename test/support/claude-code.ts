import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCodeWith } from '../../src/hosts/claude-code/index.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookSystem } from '../../src/hosts/system/hook-system.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { firing } from './again.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

/** A sandbox whose project, home and administrator may hold Claude Code's hooks. */
export interface ClaudeBox extends Sandbox {
  /** The dialect, with the sandbox's administrator. */
  readonly dialect: Dialect;
  /** The administrator's folder. */
  readonly managed: string;
  /** Puts settings into the project, and returns the file. */
  readonly local: (settings: unknown) => string;
  /** Puts settings into the home folder, and returns the file. */
  readonly global: (settings: unknown) => string;
  /** Puts an executable into the project, and returns its path. */
  readonly script: (name: string, text: string) => string;
  /** What hooks left in a file of the project; '' when it is not there. */
  readonly left: (file: string) => string;
  /** A hook system that reads the sandbox as a session there would. */
  readonly start: (options?: Partial<CreateConfigOptions>) => Promise<ClaudeSession>;
}

export interface ClaudeSession {
  readonly system: HookSystem;
  readonly warnings: readonly string[];
  readonly fire: <Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ) => Promise<AggregatedHookResult>;
  /** The hooks found, as `source event matcher: command`. */
  readonly found: () => string[];
}

/** Makes a sandbox for Claude Code's hooks, for the running test. */
export function claudeBox(): ClaudeBox {
  const box = sandbox();
  const { home, project } = box;
  const managed = join(box.systemFolder, 'claude-code');
  const dialect = claudeCodeWith({ managed });
  return {
    ...box,
    dialect,
    managed,
    local: (settings) => box.write(join(project, '.claude/settings.json'), settings),
    global: (settings) => box.write(join(home, '.claude/settings.json'), settings),
    script(name, code) {
      const file = box.write(join(project, name), code);
      chmodSync(file, 0o755);
      return file;
    },
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
            .map(
              ({ source, nativeEvent, matcher, name }) =>
                `${source} ${nativeEvent} ${matcher ?? '-'}: ${name}`,
            ),
      };
    },
  };
}

/** Settings with one hook for an event. */
export const settingsOf = (
  event: string,
  hook: string | Readonly<Record<string, unknown>>,
  matcher?: unknown,
): object => ({
  hooks: {
    [event]: [
      {
        ...(matcher !== undefined && { matcher }),
        hooks: [typeof hook === 'string' ? { type: 'command', command: hook } : hook],
      },
    ],
  },
});

/** `hookSpecificOutput` of an event, as an answer. */
export const specific = (event: string, fields: Readonly<Record<string, unknown>>): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});

/** A denial before a tool, in Claude Code's form. */
export const denial = (reason: string): object =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason });
