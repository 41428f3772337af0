import type { ToolResult } from '../../protocol/tool-result.ts';
import { fileSystemFailure } from './file-system-failure.ts';
import { confine, type Place } from './paths.ts';

/**
 * Acts on a place inside the project. A path that leaves the project, or a refusal by the file system, is
 * reported instead.
 */
export async function inProject(
  cwd: string,
  path: string,
  act: (place: Place) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    const confined = await confine(cwd, path);
    return confined.kind === 'inside' ? await act(confined.place) : confined.result;
  } catch (error) {
    return fileSystemFailure(error, path);
  }
}
