import { environment } from '../../base/surroundings.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { sessionVariables, type Variables } from '../parts/session-variables.ts';

/** What Cursor's first hooks give to the later ones of their session. */
export const variables = sessionVariables();

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
  ...variables.given(input.session_id, hooksOf),
});
