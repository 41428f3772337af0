import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isatty } from 'node:tty';
import { isHookmachineError } from '../../base/errors.ts';
import { ownFolders } from '../../base/programs.ts';
import { confirmed } from '../parts/confirmed.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { parseJsonObject } from '../parts/parse-json-object.ts';
import { printable } from '../parts/printable.ts';
import { messageOf } from '../../base/message-of.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Lets the user change an object in their editor. On a terminal they may edit it again if it cannot be used.
 *
 * @throws {CommandFailure} if there is no editor, or its result cannot be used; `check` throws for that too
 */
export async function edited(
  name: string,
  value: Fields,
  check: (edited: Fields) => Promise<void>,
): Promise<Fields> {
  // Nobody else may read its contents.
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine-'));
  const file = join(folder, `${name.replaceAll(/[^\w.-]/g, '_')}.json`);
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    for (;;) {
      await openEditor(file);
      try {
        const given = parseJsonObject(readEdited(file), `the edited input of ${name}`);
        await check(given);
        return given;
      } catch (error) {
        if (!isHookmachineError(error, 'COMMAND_FAILED') || !isatty(0)) throw error;
        process.stderr.write(`hookmachine: ${printable(messageOf(error))}\n`);
        if (!(await confirmed('Edit it again?'))) throw new CommandFailure('nothing was run');
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As git does: the variable may hold arguments too. */
async function openEditor(file: string): Promise<void> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  // A project's program of the same name is not the user's editor.
  const env = { ...process.env, PATH: ownFolders().join(delimiter) };
  const { execa } = await import('execa');
  const { failed, exitCode, signal, cause } = await execa(
    '/bin/sh',
    ['-c', `${editor} "$@"`, editor, file],
    { stdio: 'inherit', env, extendEnv: false, reject: false },
  );
  if (!failed) return;
  const end = exitCode ?? signal;
  throw new CommandFailure(
    `the editor ${editor} ${end === undefined ? `could not be started (${messageOf(cause)})` : `ended with ${end}`}, so nothing was run; set VISUAL or EDITOR to one that works here`,
  );
}

function readEdited(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(`the editor left no file (${messageOf(cause)}), so nothing was run`, {
      cause,
    });
  }
}
