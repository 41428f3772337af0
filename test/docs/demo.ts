import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { blockWith } from '../support/blocks.ts';
import { starter } from '../support/main.ts';
import type { Sandbox } from '../support/sandbox.ts';

/** Writes an executable script. */
export const script = (box: Sandbox, file: string, text: string): void =>
  chmodSync(box.write(file, `${text}\n`), 0o755);

/** How the commands of a page run: in its project, with the built command on the PATH. */
export const options = (box: Sandbox) => ({
  cwd: box.project,
  env: {
    ...box.env,
    PATH: `${dirname(starter)}:${join(box.home, 'bin')}:${process.env['PATH']}`,
    NO_COLOR: '1',
    // No process is left behind.
    HOOKMACHINE_COLD: '1',
  },
  reject: false,
});

export const trusted = (box: Sandbox): unknown => execa(starter, ['trust', '--yes'], options(box));

/** The project of the README, whose notes the scripted model asks for. */
export function demo(box: Sandbox): void {
  box.write(box.own.project, blockWith('README.md', 'jsonc', 'tool.before'));
  script(box, 'project/.hookmachine/no-env.sh', blockWith('README.md', 'sh', '#!/bin/sh'));
  box.write('project/notes.txt', 'Call the dentist.\n');
  box.write('project/session.yaml', blockWith('docs/inspector.md', 'yaml', 'dentist'));
}
