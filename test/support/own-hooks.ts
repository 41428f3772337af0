import { onTestFinished } from 'vitest';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import { firing } from './again.ts';
import type { Sandbox } from './sandbox.ts';

/** A session in a sandbox, as for a host that says nothing about dialects. */
export function sessionIn(
  { project, systemFolder }: Sandbox,
  options: Partial<CreateConfigOptions> = {},
) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: project,
    systemFolder,
    isTrustedFolder: () => true,
    onWarning: (line) => void warnings.push(line),
    ...options,
  });
  onTestFinished(() => config.getHookSystem()?.dispose());
  return {
    config,
    warnings,
    fire: async <Event extends HookEventName>(
      event: Event,
      fields: HookEventFields[Event],
      more?: FireOptions,
    ) => {
      const system = config.getHookSystem();
      if (system === undefined) throw new Error('no hook is on');
      await system.initialize();
      return firing(system, project)(event, fields, more);
    },
  };
}

/** Settings with one group of one hook for an event. */
export const hookAt = (event: string, hook: object | string, more: object = {}) => ({
  hooks: {
    [event]: [
      { ...more, hooks: [typeof hook === 'string' ? { type: 'command', command: hook } : hook] },
    ],
  },
});
