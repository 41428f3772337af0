import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../../support/main.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const example = fileURLToPath(new URL('../../../examples/adapters/mcp/', import.meta.url));

test('the example of an MCP server with hooks prints what its page says', async () => {
  const { stdout } = await execa('node', [`${example}client.mjs`, main], {
    env: { HOME: tempFolder() },
  });
  expect(readFileSync(`${example}README.md`, 'utf8')).toContain(`client.mjs\n${stdout}\n\`\`\``);
});
