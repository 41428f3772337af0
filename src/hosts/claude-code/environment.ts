import type { HookSource } from '../../core/protocol/events.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { claudeEventOf, type ClaudeEventName } from './events.ts';
import { environment } from '../../base/surroundings.ts';

/** The events whose hooks may set variables for everything that runs later. */
export const setsVariables: ReadonlySet<ClaudeEventName> = new Set<ClaudeEventName>([
  'SessionStart',
  'Setup',
  'CwdChanged',
  'FileChanged',
]);

/** Reads and writes the variables of sessions; loaded with the first hook that can set one. */
export interface SessionVariables {
  readonly newVariablesFile: (sessionId: string, source: HookSource) => string;
  readonly sessionVariables: (
    sessionId: string,
    hooksOf: HookSource,
  ) => Readonly<Record<string, string>>;
}

/** Returns a hook's environment variables (as measured on the host). */
export function environmentOf(
  hook: HookDefinition,
  input: HookInput & { readonly effort?: unknown },
  variables: SessionVariables | undefined,
): Readonly<Record<string, string>> {
  const { cwd, session_id, effort } = input;
  const { level } = isRecord(effort) ? effort : {};
  return {
    ...variables?.sessionVariables(session_id, hook.source),
    CLAUDE_PROJECT_DIR: cwd,
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: environment()['CLAUDE_CODE_ENTRYPOINT'] || 'cli',
    CLAUDE_CODE_SESSION_ID: session_id,
    CLAUDE_PID: String(process.pid),
    ...(typeof level === 'string' && { CLAUDE_EFFORT: level }),
    ...(variables &&
      setsVariables.has(claudeEventOf(hook)) && {
        CLAUDE_ENV_FILE: variables.newVariablesFile(session_id, hook.source),
      }),
  };
}
