import { join } from 'node:path';
import { relayMark } from '../parts/relay-entry.ts';
import type { FilesInstallation } from '../../core/dialects/installation.ts';
import { kodeletEvents } from './vocabulary.ts';

/** One executable for each type of hook. Kodelet obeys the last hook of several, so the names sort late. */
export const installation: FilesInstallation = {
  kind: 'files',
  programs: ['kodelet'],
  runsInProject: true,
  files: (scope, { cwd, home }, call) =>
    Object.keys(kodeletEvents).map((event) => ({
      file: join(scope === 'user' ? home : cwd, '.kodelet', 'hooks', `zz-hookmachine-${event}`),
      mode: 0o755,
      text: `#!/bin/sh
# ${relayMark}
case "$1" in
  hook) echo ${event} ;;
  run) exec ${call()} ;;
esac
`,
    })),
  after: () => [],
  notes: (scope) =>
    scope === 'project'
      ? [
          'if several hooks answer, Kodelet follows the last one, and the hooks in your home folder come later: --scope user is safer',
        ]
      : [],
};
