import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { Place } from './paths.ts';

/** The result for the model when a file is given instead of a folder. */
export function notAFolder({ name }: Place): ToolResult {
  return errorResult(
    `${name} is not a folder. Give the path of a folder.`,
    'path_is_not_a_directory',
  );
}

/** The result for the model when a pattern takes too long to match. */
export function tooSlow(pattern: string, what: string): ToolResult {
  return errorResult(
    `The pattern ${pattern} took too long on ${what}. Simplify it: avoid repetitions inside repetitions.`,
    'pattern_too_slow',
  );
}

/** The result of a call whose signal was aborted. */
export function cancelled(tool: string): ToolResult {
  return errorResult(`${tool} was cancelled before it could finish.`, 'cancelled');
}
