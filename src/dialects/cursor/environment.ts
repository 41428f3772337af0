import type { HookSource } from '../../protocol/events.ts';
import type { HookInput } from '../../protocol/input.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import { reaches } from '../../settings/levels.ts';

type Variables = Readonly<Record<string, string>>;

interface Given {
  /** The source of the hook that gave them. */
  readonly source: HookSource;
  readonly variables: Variables;
}

/** By session, the variables that its first hooks gave the later ones. */
const given = new Map<string, readonly Given[]>();

/** Nobody has more sessions than this at once. */
const mostSessions = 1_000;

/** Keeps variables for the later hooks of a session that have the same authority, or less (S-15). */
export function keepVariables(session: string, more: Given): void {
  if (given.size >= mostSessions) given.clear();
  given.set(session, [...(given.get(session) ?? []), more]);
}

/** Returns a hook's environment variables. */
export const environmentOf = (
  { source: hooksOf }: Pick<HookDefinition, 'source'>,
  { cwd, session_id, transcript_path }: HookInput,
): Variables => ({
  CURSOR_PROJECT_DIR: cwd,
  CURSOR_VERSION: '',
  CLAUDE_PROJECT_DIR: cwd,
  ...(transcript_path !== '' && { CURSOR_TRANSCRIPT_PATH: transcript_path }),
  ...Object.fromEntries(
    (given.get(session_id) ?? [])
      .filter(({ source }) => reaches(source, hooksOf))
      .flatMap(({ variables }) => Object.entries(variables)),
  ),
});
