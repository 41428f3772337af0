import { isAbsolute } from 'node:path';
import {
  environmentSettings,
  projectSettingsFile,
  systemSettingsFile,
  userSettingsFile,
} from './levels.ts';
import { watchFiles } from './watch-files.ts';

/** Tells when the settings of the project, the user or the system change. Gives back what ends it. */
export const watchSettings = (
  cwd: string,
  onChange: () => void,
  systemFolder?: string,
): (() => void) =>
  watchFiles(
    [
      projectSettingsFile(cwd),
      userSettingsFile(),
      systemSettingsFile(systemFolder),
      ...environmentSettings().map(({ file }) => file),
    ].filter((file): file is string => file !== undefined && isAbsolute(file)),
    onChange,
  );
