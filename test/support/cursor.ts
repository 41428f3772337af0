import { join } from 'node:path';
import { cursorWith } from '../../src/hosts/cursor/index.ts';
import { kodeletBox } from './kodelet.ts';
import type { CodexBox } from './codex.ts';

/** A sandbox for Cursor's hooks, for the running test; `system` is the administrator's file. */
export function cursorBox(): CodexBox {
  const box = kodeletBox();
  const { home, project } = box;
  const system = join(box.systemFolder, 'cursor/hooks.json');
  const dialect = cursorWith({ enterprise: system });
  return {
    ...box,
    dialect,
    system,
    local: (hooks) => box.write(join(project, '.cursor/hooks.json'), hooks),
    global: (hooks) => box.write(join(home, '.cursor/hooks.json'), hooks),
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

/** A file with hooks for an event. */
export const cursorHooks = (event: string, ...entries: readonly (string | object)[]): object => ({
  version: 1,
  hooks: {
    [event]: entries.map((entry) => (typeof entry === 'string' ? { command: entry } : entry)),
  },
});
