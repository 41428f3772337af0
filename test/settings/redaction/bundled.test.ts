import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { sandbox } from '../../support/sandbox.ts';

/** Only secretlint recognizes this shape. */
const token = ['ntn', '12345678901aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA'].join('_');

test.each(['esm', 'cjs'] as const)(
  'a bundle (%s) without packages next to it redacts no more and no less',
  async (format) => {
    const { folder } = sandbox();
    const bundled = await build({
      stdin: {
        contents: `import { redactor } from './src/settings/redaction/redactor.ts';
          console.log(redactor().text('ls -la; npm_config_cache=/tmp ${token}'));`,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format,
      write: false,
      logLevel: 'silent',
    });
    const file = join(folder, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
    writeFileSync(file, bundled.outputFiles[0]!.text);
    const { stdout } = await execa('node', [file], { cwd: folder });
    expect(stdout).toBe('ls -la; npm_config_cache=/tmp [redacted]');
  },
);
