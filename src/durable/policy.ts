import { digestOf } from './database/digest.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import type { HookSystem } from '../hosts/system/hook-system.ts';
import type { HookEventName } from '../core/protocol/events.ts';
import { definitionHash } from '../settings/trust/definition.ts';
import { scriptFiles } from '../settings/trust/script-files.ts';

/** The hooks around tool calls as they are now: their definitions, and the files that their commands name. */
export interface Policy {
  readonly digest: string;
  /** Its text, so that one can look up later what it was. */
  readonly hooks: string;
}

const events: readonly HookEventName[] = [
  'BeforeTool',
  'ToolPermission',
  'ToolFailed',
  'AfterTool',
];

/** Returns the policy of a host; having no hooks is a policy too. */
export async function policyOf(
  config: HookSystemConfig,
  system: HookSystem | undefined,
): Promise<Policy> {
  const cwd = config.getWorkingDir();
  const hooksAround = events.flatMap(
    (event) => system?.getRegistry().getHooksForEvent(event) ?? [],
  );
  const judging = await Promise.all(
    hooksAround.map(async (hook) => {
      const { scripts } = await scriptFiles(hook, cwd).catch(() => ({ scripts: [] }));
      const { event, name, dialect, source, type, command } = hook;
      return {
        event,
        name,
        dialect,
        source,
        type,
        command,
        definition: definitionHash(hook, cwd),
        scripts: scripts.map(({ path, sha256 }) => ({ path, sha256 })),
      };
    }),
  );
  const hooks = JSON.stringify(judging);
  return { digest: digestOf(hooks), hooks };
}
