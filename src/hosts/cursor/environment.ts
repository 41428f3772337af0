import type { HookSource } from '../../core/protocol/events.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { reaches } from '../../settings/files/levels.ts';
import { environment, keptInProcess } from '../../base/surroundings.ts';

type Variables = Readonly<Record<string, string>>;

interface Given {
  /** The source of the hook that gave them. */
  readonly source: HookSource;
  readonly variables: Variables;
}

/** By session, the variables that its first hooks gave the later ones. */
const given = keptInProcess(() => new Map<string, readonly Given[]>());

/** Nobody has more sessions than this at once. */
const mostSessions = 1_000;

/** Keeps variables for the later hooks of a session that have the same authority, or less. */
export function keepVariables(session: string, more: Given): void {
  const known = given();
  if (known.size >= mostSessions) known.clear();
  known.set(session, [...(known.get(session) ?? []), more]);
}

/** The variables that hold a field of the event; without it, they are as our caller has them. */
const fieldsIn = {
  CURSOR_VERSION: 'cursor_version',
  CURSOR_USER_EMAIL: 'user_email',
  CURSOR_TRANSCRIPT_PATH: 'transcript_path',
} as const;

const isSaid = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns a hook's environment variables. */
export const environmentOf = (
  { source: hooksOf }: Pick<HookDefinition, 'source'>,
  input: HookInput & { readonly [Field in (typeof fieldsIn)[keyof typeof fieldsIn]]?: unknown },
): Variables => ({
  CURSOR_PROJECT_DIR: input.cwd,
  CLAUDE_PROJECT_DIR: input.cwd,
  ...Object.fromEntries(
    Object.entries(fieldsIn)
      .map(([name, field]) => [name, [input[field], environment()[name]].find(isSaid)] as const)
      .filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  ...Object.fromEntries(
    (given().get(input.session_id) ?? [])
      .filter(({ source }) => reaches(source, hooksOf))
      .flatMap(({ variables }) => Object.entries(variables)),
  ),
});
