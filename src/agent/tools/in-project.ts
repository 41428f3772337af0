import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
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

type Failure = readonly [type: string, tell: (path: string) => string];

const known: Readonly<Record<string, Failure>> = {
  ENOENT: ['file_not_found', (path) => `${path} does not exist. Check the path, or look around.`],
  EACCES: ['permission_denied', (path) => `${path} may not be opened: permission denied.`],
  EPERM: ['permission_denied', (path) => `${path} may not be changed: permission denied.`],
  EROFS: ['permission_denied', (path) => `${path} is on a read-only file system.`],
  EISDIR: ['target_is_directory', (path) => `${path} is a folder. Give the path of a file.`],
  ENOTDIR: [
    'path_is_not_a_directory',
    (path) => `${path} leads through a file as if it were a folder. Give another path.`,
  ],
  EEXIST: [
    'attempt_to_create_existing_file',
    (path) =>
      `${path} cannot be created: it, or a file where its folder should be, already exists.`,
  ],
  ELOOP: ['invalid_path', (path) => `${path} goes through links that point at each other.`],
  ENAMETOOLONG: ['invalid_path', (path) => `${path} has a name that is too long.`],
  ERR_INVALID_ARG_VALUE: ['invalid_path', () => 'The path holds a NUL character. Remove it.'],
  ENOSPC: ['no_space_left', (path) => `${path} cannot be written: no space left on the device.`],
};

/** Returns what the model reads if the file system refuses; rethrows anything that is not a system error. */
export function fileSystemFailure(error: unknown, path: string): ToolResult {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  const failure = known[code];
  if (failure !== undefined) return errorResult(failure[1](path), failure[0]);
  if (syscall === undefined) throw error;
  return errorResult(`${path}: ${message}`, 'file_system_error');
}
