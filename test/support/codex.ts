import { join } from 'node:path';
import { codexWith } from '../../src/hosts/codex/index.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import type { CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { kodeletBox, type KodeletSession } from './kodelet.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox whose project, home and administrator may hold Codex's hooks. */
export interface CodexBox extends Sandbox {
  /** The dialect, with the sandbox's administrator. */
  readonly dialect: Dialect;
  /** The administrator's folder. */
  readonly system: string;
  /** Puts a `hooks.json` into the project, and returns the file. */
  readonly local: (hooks: unknown) => string;
  /** Puts a `hooks.json` into the home folder, and returns the file. */
  readonly global: (hooks: unknown) => string;
  /** What hooks left in a file of the project; '' when it is not there. */
  readonly left: (file: string) => string;
  /** A hook system that reads the sandbox as a session there would. */
  readonly start: (options?: Partial<CreateConfigOptions>) => Promise<CodexSession>;
}

/** A session that lists its hooks as `source event matcher: command`. */
export type CodexSession = KodeletSession;

/** Makes a sandbox for Codex's hooks, for the running test. */
export function codexBox(): CodexBox {
  const box = kodeletBox();
  const { home, project } = box;
  const system = join(box.systemFolder, 'codex');
  const dialect = codexWith({ system });
  return {
    ...box,
    dialect,
    system,
    local: (hooks) => box.write(join(project, '.codex/hooks.json'), hooks),
    global: (hooks) => box.write(join(home, '.codex/hooks.json'), hooks),
    async start(options) {
      const session = await box.start({ dialects: [dialect], ...options });
      const all = () => session.system.getRegistry().getAllHooks();
      return {
        ...session,
        found: () =>
          all().map(
            ({ source, nativeEvent, matcher, name }) =>
              `${source} ${nativeEvent} ${matcher ?? '-'}: ${name}`,
          ),
      };
    },
  };
}
