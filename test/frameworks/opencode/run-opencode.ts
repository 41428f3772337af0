import { existsSync, readFileSync, symlinkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import '../../build.ts';
import { sandbox } from '../../support/sandbox.ts';
import { packageOf } from '../installed.ts';
import { serveChat, type Answer, type ChatRequest } from './chat-server.ts';

type Fields = Readonly<Record<string, unknown>>;

const platform = `opencode-${process.platform}-${process.arch}`;
const folder = packageOf('opencode', platform);
/** The published program, if it is installed. */
export const program = folder && join(folder, 'bin', 'opencode');

const root = fileURLToPath(new URL('../../../', import.meta.url));
const line = "export { HookmachinePlugin } from 'hookmachine/opencode';\n";

const prompting = ['run', 'go', '--model', 'local/m', '--auto', '--format', 'json'];

/** How it is run. */
export interface Runs {
  /** The text of the plugin file; default: the one line. */
  readonly plugin?: string;
  /** What its own settings contain besides the model. */
  readonly settings?: Fields;
  /** What it must do; default: answer a prompt. */
  readonly args?: readonly string[];
  readonly onStart?: (started: Started) => Promise<void>;
}

/** A run under way. */
export interface Started {
  readonly project: string;
  readonly requests: readonly ChatRequest[];
  /** What it has printed so far. */
  readonly printed: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** The outcome of a run. */
export interface Ran {
  readonly project: string;
  readonly requests: readonly ChatRequest[];
  /** What the model read of each result, in order. */
  readonly results: readonly string[];
  /** What it printed: events, one per line. */
  readonly output: string;
  /** The finished tool calls, as OpenCode stores and shows them. */
  readonly calls: readonly { readonly input: Fields; readonly status: string }[];
  readonly texts: readonly string[];
  readonly made: (file: string) => boolean;
  readonly read: (file: string) => string;
}

/**
 * A plugin folder as OpenCode leaves it: otherwise it would first install a package there, and wait for the
 * network.
 */
const installed = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } };

/** Runs the published program to its end, with these hooks and a model that gives these answers. */
export async function runOpenCode(
  hooks: Fields,
  answers: readonly Answer[],
  { plugin = line, settings = {}, args = prompting, onStart }: Runs = {},
): Promise<Ran> {
  const { project, home, env, write } = sandbox();
  const server = await serveChat(answers);
  onTestFinished(() => server.close());
  for (const place of [join(home, '.config/opencode'), join(project, '.opencode')]) {
    write(join(place, 'node_modules/.installed'), '');
    write(join(place, 'package-lock.json'), installed);
  }
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/hookmachine'));
  if (plugin !== '') write(join(project, '.opencode/plugin/hooks.js'), plugin);
  write(join(project, '.hookmachine/settings.json'), { hooks });
  write(join(home, '.config/opencode/opencode.json'), {
    autoupdate: false,
    share: 'disabled',
    small_model: 'local/m',
    provider: {
      local: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${server.url}/v1`, apiKey: 'none' },
        models: { m: { tool_call: true, temperature: true } },
      },
    },
    ...settings,
  });
  const running = execa(program!, args, {
    cwd: project,
    env: {
      ...env,
      PATH: process.env['PATH']!,
      NO_COLOR: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 180_000,
    forceKillAfterDelay: 1_000,
  });
  onTestFinished(() => void running.kill('SIGKILL'));
  let printed = '';
  running.all.on('data', (piece: Buffer) => (printed += piece.toString()));
  await onStart?.({
    project,
    requests: server.requests,
    printed: () => printed,
    kill: (signal) => void running.kill(signal),
  });
  const { all: output } = await running;
  const parts = output
    .split('\n')
    .filter((one) => one.startsWith('{'))
    .flatMap((one): Fields[] => {
      const { part } = JSON.parse(one) as { readonly part?: Fields };
      return part ? [part] : [];
    });
  return {
    project,
    requests: server.requests,
    results: (server.requests.at(-1)?.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content)),
    output,
    calls: parts
      .filter((part) => part['type'] === 'tool')
      .map((part) => part['state'] as { input: Fields; status: string }),
    texts: parts.filter((part) => part['type'] === 'text').map((part) => String(part['text'])),
    made: (file) => existsSync(join(project, file)),
    read: (file) => readFileSync(join(project, file), 'utf8'),
  };
}
