import type { HookDefinition } from '../../settings/hook-definition.ts';
import { codexEventOf, traitsOf } from './events.ts';

/** Codex's tools by the names that its matchers know, and its words for what writes files. */
const names =
  'Bash apply_patch Edit Write update_plan view_image web_search request_user_input spawn_agent send_input resume_agent wait_agent close_agent list_mcp_resources read_mcp_resource read_file list_dir grep_files'.split(
    ' ',
  );

/** The names that a hook's matcher may fit; undefined where it is not for tools. */
export const toolNames = (hook: HookDefinition): readonly string[] | undefined =>
  traitsOf(codexEventOf(hook)).subject === 'tool_name' ? names : undefined;
