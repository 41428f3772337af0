import { errorResult, type ToolResult } from '../../protocol/tool-result.ts';
import type { Place } from './paths.ts';

/** What the model reads when a file stands where a folder was asked for. */
export function notAFolder({ name }: Place): ToolResult {
  return errorResult(
    `${name} is not a folder. Give the path of a folder.`,
    'path_is_not_a_directory',
  );
}

/** What the model reads when a pattern takes too long to match. */
export function tooSlow(pattern: string, what: string): ToolResult {
  return errorResult(
    `The pattern ${pattern} took too long on ${what}. Simplify it: avoid repetitions inside repetitions.`,
    'pattern_too_slow',
  );
}

/** What is left of a call whose signal was aborted. */
export function cancelled(tool: string): ToolResult {
  return errorResult(`${tool} was cancelled before it could finish.`, 'cancelled');
}
