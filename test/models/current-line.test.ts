import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { currentLineFolder, ofCurrentLine, testCurrentLine } from './current-line.ts';

testCurrentLine(
  ofCurrentLine('the types of the current line of the AI SDK fit those that are taken and built'),
  async () => {
    const tsc = await execa('tsc', ['--noEmit', '-p', fileURLToPath(currentLineFolder)], {
      preferLocal: true,
      reject: false,
    });
    expect(tsc).toMatchObject({ exitCode: 0, stdout: '' });
  },
);
