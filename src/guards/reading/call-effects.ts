import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../settings/files/levels.ts';
import { topOf } from './repository-top.ts';
import { isSecretPath } from '../rules/secret-files.ts';
import { disk } from '../../shell/reading/disk.ts';
import type { Effect } from '../../shell/reading/effects.ts';
import { secretMark } from '../../shell/reading/marks.ts';
import { absolute } from '../../shell/reading/paths.ts';
import { readCommand, readProgram } from '../../shell/reading/reader.ts';
import type { Surroundings } from '../../shell/reading/state.ts';
import type { ToolCall } from './tool-call.ts';
import { environment } from '../../base/surroundings.ts';

/** Where a call would run. */
export interface CallPlace {
  readonly cwd: string;
  /** Whether hooks or their settings are at a path; default: nowhere. */
  readonly isGuarded?: ((path: string, isTree: boolean) => boolean) | undefined;
  /** The environment; default: this process's. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The home folder; default: the user's. */
  readonly home?: string;
}

/** Whether a call runs programs or touches files, rather than having a server do something. */
export const worksHere = (effects: readonly Effect[]): boolean =>
  effects.some(({ kind }) => kind === 'run' || kind === 'file');

/** Works out what a call would do, without running anything. */
export function effectsOf(call: ToolCall, place: CallPlace): readonly Effect[] {
  const around = surroundingsOf(place, call.folder);
  return [
    ...call.commands.flatMap((command) => readCommand(command, around).effects),
    ...call.programs.flatMap((words) => readProgram(words, around).effects),
    ...call.files.flatMap(({ action, path }): Effect[] => {
      const effect: Effect = {
        kind: 'file',
        action,
        path: absolute(path.replace(/^~(?=\/|$)/, around.home), around.cwd),
        isTree: action === 'delete' || action === 'move',
        by: `${action} ${path}`,
        where: 'here',
      };
      const isSecret = action === 'read' && around.isSecretFile(effect.path);
      return isSecret
        ? [effect, { kind: 'print', text: secretMark, by: effect.by, where: 'here' }]
        : [effect];
    }),
  ];
}

/** Returns what the commands of a call find around them. */
export function surroundingsOf(
  { cwd, variables = environment(), home = homeFolder() ?? '/nonexistent' }: CallPlace,
  folder?: string,
): Surroundings {
  return {
    cwd: folder === undefined ? cwd : isAbsolute(folder) ? folder : join(cwd, folder),
    project: projectOf(cwd, home),
    home,
    variables,
    disk,
    isSecretFile: (path) => isSecretPath(path, disk),
  };
}

/** The project is the repository that the folder is in, unless that is the home folder or above it. */
export function projectOf(cwd: string, home = homeFolder() ?? '/nonexistent'): string {
  const top = topOf(cwd);
  return top === undefined || top === '/' || home === top || home.startsWith(`${top}/`) ? cwd : top;
}
