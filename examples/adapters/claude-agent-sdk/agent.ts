import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query as plain } from '@anthropic-ai/claude-agent-sdk';
import { withHooks } from 'hookmachine/claude-agent-sdk';
// A model on this machine that wants to write two files: the example needs no key.
import { serveMessages } from '../../../test/frameworks/claude-agent-sdk/messages-server.ts';

const write = (file_path: string, content: string) => ({
  name: 'Write',
  input: { file_path, content },
});
const model = await serveMessages([
  [write('.env', 'KEY=1'), write('notes.txt', 'Water the plants.')],
  'I wrote the notes.',
]);

const guard = `case "$(cat)" in *'"file_path":"'*.env*) echo 'Secrets stay as they are.' >&2; exit 2;; esac`;

const query = withHooks(plain, {
  settings: {
    tools: { enableHooks: true },
    hooks: {
      BeforeTool: [{ matcher: 'Write', hooks: [{ type: 'command', command: guard }] }],
    },
  },
  onBlocked: ({ tool, reason }) => console.log(`A hook denied ${tool}: ${reason}`),
});

const folder = mkdtempSync(join(tmpdir(), 'example-'));
for await (const message of query({
  prompt: 'Take notes',
  options: {
    cwd: folder,
    settingSources: [],
    allowedTools: ['Write'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
    },
  },
}))
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);

await query.end();
model.close();
