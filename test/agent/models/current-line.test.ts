import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { currentLineFolder, ofCurrentLine, testCurrentLine } from './current-line.ts';

testCurrentLine(
  ofCurrentLine(
    'the types of the current AI SDK line match those that the adapter takes and builds',
  ),
  async () => {
    const tsc = await execa('tsc', ['--noEmit', '-p', fileURLToPath(currentLineFolder)], {
      preferLocal: true,
      reject: false,
    });
    expect(tsc).toMatchObject({ exitCode: 0, stdout: '' });
  },
);
