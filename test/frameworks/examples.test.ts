import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { folderOf } from './installed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The examples with the folders in which their framework is installed, and the first Node.js that it runs on. */
const examples: readonly (readonly [name: string, framework: string, node: number])[] = [
  ['adk', 'adk', 20],
  ['ai-sdk', 'ai-sdk-6', 20],
  ['claude-agent-sdk', 'claude-agent-sdk', 20],
  ['langchain', 'langchain', 20],
  ['mastra', 'mastra', 22],
  ['openai-agents', 'openai-agents', 20],
  ['opencode', 'opencode', 20],
];

/** Copies an example to where it finds its framework and the built hookmachine. */
function readyExample(name: string, framework: string): string {
  const folder = mkdtempSync(join(folderOf(framework), 'example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'examples/adapters', name), folder, {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules'),
  });
  const [program = ''] = programsIn(folder);
  // The model servers that examples share with these tests are further away now.
  const text = readFileSync(join(folder, program), 'utf8');
  writeFileSync(join(folder, program), text.replaceAll("'../../../test/", `'${root}test/`));
  mkdirSync(join(folder, 'node_modules'));
  // An example may look for the programs of its framework beside itself.
  const packages = readdirSync(join(folderOf(framework), 'node_modules'));
  for (const one of packages.filter((found) => found.startsWith(`${framework}-`)))
    symlinkSync(join(folderOf(framework), 'node_modules', one), join(folder, 'node_modules', one));
  // Not a link: what hookmachine loads of the framework is looked up from where hookmachine is.
  for (const part of ['package.json', 'dist'])
    cpSync(join(root, part), join(folder, 'node_modules/hookmachine', part), { recursive: true });
  return folder;
}

const programsIn = (folder: string): string[] =>
  readdirSync(folder).filter((file) => /^agent\.m?[jt]s$/.test(file));

const tsx = join(root, 'node_modules/.bin/tsx');

describe.each(examples)('the example of %s', (name, framework, node) => {
  const isInstalled = existsSync(join(folderOf(framework), 'node_modules'));
  const isFit = Number.parseInt(process.versions.node) >= node;
  const lack = isFit ? `npm run frameworks -- ${framework} installs it` : `it needs Node ${node}`;

  test.skipIf(!isInstalled || !isFit)(
    `prints what its page says${isInstalled && isFit ? '' : ` (skipped: ${lack})`}`,
    async () => {
      const folder = readyExample(name, framework);
      const [program = ''] = programsIn(folder);
      const words = program.endsWith('.ts') ? [tsx, program] : ['node', '--no-warnings', program];
      const { stdout } = await execa(words[0]!, words.slice(1), {
        cwd: folder,
        env: { HOME: tempFolder() },
      });
      const page = readFileSync(join(folder, 'README.md'), 'utf8');
      expect(page).toContain(`npm start\n${stdout.trimEnd()}\n\`\`\``);
    },
  );
});
