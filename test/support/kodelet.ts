import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookSystem } from '../../src/hosts/system/hook-system.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import { firing } from './again.ts';
import { sandbox, type Sandbox } from './sandbox.ts';
import { print, type Session } from './session.ts';

/** A sandbox whose project and home may hold Kodelet hooks. */
export interface KodeletBox extends Sandbox {
  /** Puts an executable into the project's hooks, and returns its path. */
  readonly local: (name: string, script: string) => string;
  /** Puts an executable into the user's hooks, and returns its path. */
  readonly global: (name: string, script: string) => string;
  /** What hooks left in a file of the project; '' when it is not there. */
  readonly left: (file: string) => string;
  /** A hook system that reads the sandbox as a session there would. */
  readonly start: (options?: Partial<CreateConfigOptions>) => Promise<KodeletSession>;
}

export interface KodeletSession extends Omit<Session, 'fire'> {
  readonly system: HookSystem;
  readonly fire: <Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ) => Promise<AggregatedHookResult>;
  /** The hooks found, as `source/name event`, without those that others hide. */
  readonly found: () => string[];
}

/** Makes a sandbox for Kodelet hooks, for the running test. */
export function kodeletBox(): KodeletBox {
  const box = sandbox();
  const { home, project } = box;
  const put = (root: string) => (name: string, script: string) => {
    const file = box.write(join(root, '.kodelet/hooks', name), script);
    chmodSync(file, 0o755);
    return file;
  };
  return {
    ...box,
    local: put(project),
    global: put(home),
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
        ...options,
      });
      const system = config.getHookSystem()!;
      await system.initialize();
      return {
        folder: project,
        config,
        system,
        warnings,
        found: () =>
          system
            .getRegistry()
            .getAllHooks()
            .filter((hook) => !system.getRegistry().isHidden(hook))
            .map(({ source, name, event }) => `${source}/${name} ${event}`),
        fire: firing(system, project),
      };
    },
  };
}

/** A shell hook of this type that runs these commands. */
export const hookOf = (type: string, run = ':'): string => `#!/bin/sh
case "$1" in
  hook) echo ${type} ;;
  run) ${run} ;;
  *) exit 64 ;;
esac
`;

/** A hook of this type that prints a value as JSON. */
export const answering = (type: string, value: unknown): string => hookOf(type, print(value));
