import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
// A model on this machine that wants to write two files: the example needs no key.
import { serveChat } from '../../../test/frameworks/opencode/chat-server.ts';

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'example-'));
const [project, home] = [join(folder, 'project'), join(folder, 'home')];
cpSync(join(here, 'project'), project, { recursive: true });
symlinkSync(join(here, 'node_modules'), join(project, 'node_modules'));

const write = (filePath: string, content: string) => ({
  name: 'write',
  input: { filePath: join(project, filePath), content },
});
const model = await serveChat([
  [write('notes.txt', 'Buy milk.'), write('more.txt', 'The password is hunter2.')],
  'The note is written.',
]);

// The files that OpenCode leaves in a folder of plugins; without them, it would first install a package of
// its own there.
for (const plugins of [join(project, '.opencode'), join(home, '.config/opencode')]) {
  mkdirSync(join(plugins, 'node_modules'), { recursive: true });
  const packages = { '': { dependencies: { '@opencode-ai/plugin': '*' } } };
  writeFileSync(join(plugins, 'package-lock.json'), JSON.stringify({ packages }));
}
const settings = {
  autoupdate: false,
  small_model: 'local/m',
  provider: {
    local: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${model.url}/v1`, apiKey: 'none' },
      models: { m: { tool_call: true } },
    },
  },
};
writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings));

const args = ['run', 'Note the milk and the password.', '--model', 'local/m', '--auto'];
const program = join(
  here,
  `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
);
const running = execa(program, [...args, '--format', 'json'], {
  cwd: project,
  env: { HOME: home, PATH: process.env['PATH'], OPENCODE_DISABLE_MODELS_FETCH: '1' },
  extendEnv: false,
  stdin: 'ignore',
  stderr: 'inherit',
});
for await (const line of createInterface(running.stdout)) {
  const { part } = JSON.parse(line) as { readonly part?: Part };
  const { status, input, output, error } = part?.state ?? {};
  const result = (output ?? error)?.replaceAll(/\s+/g, ' ');
  if (part?.type === 'tool') console.log(`write: ${input?.content}\n  ${status}: ${result}`);
  if (part?.type === 'text') console.log(`model: ${part.text}`);
}
await running;
model.close();
rmSync(folder, { recursive: true });

/** The part of OpenCode's output that is shown. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly state?: {
    readonly status: string;
    readonly input: { readonly content: string };
    readonly output?: string;
    readonly error?: string;
  };
}
