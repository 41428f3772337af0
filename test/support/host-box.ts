import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** A sandbox whose project, home and administrator may hold the hooks of a host. */
export interface HostBox extends Sandbox {
  /** The dialect, with the sandbox's administrator. */
  readonly dialect: Dialect;
  /** The administrator's settings file. */
  readonly system: string;
  /** Puts settings into the project, and returns the file. */
  readonly local: (settings: unknown) => string;
  /** Puts settings into the home folder, and returns the file. */
  readonly global: (settings: unknown) => string;
  /** Puts an executable into the project, and returns its path. */
  readonly script: (name: string, text: string) => string;
  /** What hooks left in a file of the project; '' when it is not there. */
  readonly left: (file: string) => string;
  /** A hook system that reads the sandbox as a session there would. */
  readonly start: (options?: Partial<CreateConfigOptions>) => Promise<HostSession>;
}

export interface HostSession {
  readonly system: HookSystem;
  readonly warnings: readonly string[];
  readonly fire: <Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ) => Promise<AggregatedHookResult>;
  /** The hooks found, as `source event matcher: name`. */
  readonly found: () => string[];
}

/** Makes a sandbox for the hooks of a host that keeps its settings in this folder, for the running test. */
export function hostBox(
  folder: string,
  host: string,
  dialectOf: (system: string) => Dialect,
): HostBox {
  const box = sandbox();
  const { home, project } = box;
  const system = join(box.systemFolder, host, 'settings.json');
  const dialect = dialectOf(system);
  return {
    ...box,
    dialect,
    system,
    local: (settings) => box.write(join(project, folder, 'settings.json'), settings),
    global: (settings) => box.write(join(home, folder, 'settings.json'), settings),
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
        sessionId: 'talk',
        onWarning: (line) => warnings.push(line),
        isTrustedFolder: () => true,
        systemFolder: box.systemFolder,
        dialects: [dialect],
        ...options,
      });
      const hooks = config.getHookSystem()!;
      await hooks.initialize();
      return {
        system: hooks,
        warnings,
        fire: firing(hooks, project),
        found: () =>
          hooks
            .getRegistry()
            .getAllHooks()
            .map(
              ({ source, nativeEvent, event, matcher, name }) =>
                `${source} ${nativeEvent ?? event} ${matcher ?? '-'}: ${name}`,
            ),
      };
    },
  };
}

/** A shell command that prints an answer. */
export const printing = (answer: unknown): string =>
  `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`;

/** A group of command hooks. */
export const groupOf = (
  hooks: readonly (string | Readonly<Record<string, unknown>>)[],
  more: Readonly<Record<string, unknown>> = {},
): object => ({
  ...more,
  hooks: hooks.map((hook) =>
    typeof hook === 'string' ? { type: 'command', command: hook } : hook,
  ),
});
