import { projectSettingsFile, systemSettingsFile, userSettingsFile } from './levels.ts';
import { watchFiles } from './watch-files.ts';

/** Tells when the settings of the project, the user or the system change. Gives back what ends it. */
export const watchSettings = (cwd: string, onChange: () => void): (() => void) =>
  watchFiles(
    [projectSettingsFile(cwd), userSettingsFile(), systemSettingsFile()].filter(
      (file) => file !== undefined,
    ),
    onChange,
  );
