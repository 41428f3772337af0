import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelError } from '../../src/agent/models/model-error.ts';
import { readScript } from '../../src/agent/models/scripted/read-script.ts';
import { promise, type Target } from '../target.ts';

let folder: string | undefined;

/** The files of a scripted model. */
export const scripted: Target = {
  name: 'scripted',
  words: [
    '- ',
    'text: ',
    'calls: ',
    'name: ',
    'args: ',
    'expect: ',
    'error: ',
    'delay: ',
    'wordDelay: ',
    'finishReason: ',
    'usage: ',
    '&a ',
    '*a',
    '!!map ',
    '|\n  ',
    '---\n',
    '? ',
    '<<: ',
    '/(/',
    '%YAML 1.2\n',
    '{',
    '[',
    ': ',
  ],
  async run(text) {
    folder ??= mkdtempSync(join(tmpdir(), 'hookmachine fuzz '));
    const file = join(folder, 'session.yaml');
    writeFileSync(file, text);
    try {
      const turns = await readScript(file);
      promise(turns.length > 0, 'a script has turns');
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      promise(error.message.includes(file), 'a mistake names its file');
    }
  },
  close() {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  },
};
