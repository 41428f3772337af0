/**
 * `npm run plugins`: writes the plugins with which agents install hookmachine themselves, and the marketplaces that
 * list them. Their hooks are those that `hookmachine install` would write.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import type { EntriesInstallation, LinesInstallation } from '../src/core/dialects/installation.ts';
import { hosts } from '../src/hosts/all/hosts.ts';
import { mustBeJudged } from '../src/hosts/parts/denying-answer.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version, description, license } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as { readonly version: string; readonly description: string; readonly license: string };

const name = 'hookmachine';
const about = {
  name,
  version,
  description: `${description}. The built-in guards are on from the start.`,
};
const author = { name: 'The hookmachine authors' };

/** A file's path below the repository, and what it says. */
export type PluginFiles = Readonly<Record<string, string>>;

/** How one agent's plugins are laid out. */
interface Layout {
  /** How a command of the plugin names the plugin's own folder. */
  readonly folder: string;
  /** The files of a plugin, given its hooks by event. */
  readonly files: (hooks: object) => Readonly<Record<string, object>>;
}

const layouts: Readonly<Record<string, Layout>> = {
  'claude-code': {
    folder: '"${CLAUDE_PLUGIN_ROOT}"',
    files: (hooks) => ({
      '.claude-plugin/plugin.json': { ...about, author, license },
      'hooks/hooks.json': { hooks },
    }),
  },
  codex: {
    folder: '"${PLUGIN_ROOT}"',
    files: (hooks) => ({
      '.codex-plugin/plugin.json': { ...about, author, license, hooks: './hooks/hooks.json' },
      'hooks/hooks.json': { hooks },
    }),
  },
  copilot: {
    folder: '"${COPILOT_PLUGIN_ROOT}"',
    files: (hooks) => ({
      'plugin.json': { ...about, author, license, hooks: 'hooks.json' },
      'hooks.json': { version: 1, hooks },
    }),
  },
  'gemini-cli': {
    folder: '"${extensionPath}"',
    files: (hooks) => ({ 'gemini-extension.json': about, 'hooks/hooks.json': { hooks } }),
  },
  'qwen-code': {
    folder: '"${extensionPath}"',
    files: (hooks) => ({ 'qwen-extension.json': { ...about, hooks } }),
  },
  cursor: {
    folder: '.',
    files: (hooks) => ({
      '.cursor-plugin/plugin.json': { ...about, author, license, hooks: './hooks/hooks.json' },
      'hooks/hooks.json': { version: 1, hooks },
    }),
  },
  kimi: {
    folder: '"${KIMI_PLUGIN_ROOT}"',
    files: (hooks) => ({ 'kimi.plugin.json': { ...about, hooks } }),
  },
};

/** Where each agent looks for the list of a repository's plugins, and how an entry there names a folder. */
const marketplaces: Readonly<Record<string, { readonly agent: string; readonly more?: object }>> = {
  '.claude-plugin/marketplace.json': { agent: 'claude-code' },
  '.agents/plugins/marketplace.json': {
    agent: 'codex',
    more: {
      policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
      category: 'Coding',
    },
  },
  '.github/plugin/marketplace.json': { agent: 'copilot' },
  '.cursor-plugin/marketplace.json': { agent: 'cursor' },
};

/** Returns every file of all plugins. */
export async function pluginFiles(): Promise<PluginFiles> {
  const files: Record<string, string> = {};
  const add = (path: string, value: object): void => {
    files[path] = `${JSON.stringify(value, null, 2)}\n`;
  };
  const starter = readFileSync(join(root, 'scripts/plugin-starter.sh'), 'utf8');
  for (const [agent, layout] of Object.entries(layouts)) {
    const hooks = await hooksOf(agent, `${layout.folder}/hookmachine relay ${agent}`);
    for (const [file, value] of Object.entries(layout.files(hooks)))
      add(`plugins/${agent}/${file}`, value);
    files[`plugins/${agent}/hookmachine`] = starter.replace('VERSION', version);
  }
  for (const [file, { agent, more }] of Object.entries(marketplaces))
    add(file, {
      name,
      owner: author,
      metadata: { description: about.description, version },
      plugins: [
        { name, source: `./plugins/${agent}`, description: about.description, version, ...more },
      ],
    });
  return files;
}

/** The hooks that `hookmachine install` would write into the agent's own file, with this command. */
async function hooksOf(agent: string, command: string): Promise<object> {
  const host = hosts.find((one) => one.name === agent)!;
  const installation = (await host.install()) as EntriesInstallation | LinesInstallation;
  const call = (event?: string): string => (event === undefined ? command : `${command} ${event}`);
  // Where nothing is judged, a starter that fails must not seem to deny.
  const marked = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(command)
      ? `HOOKMACHINE_NOT_JUDGED=1 ${value}`
      : value;
  const fitting = (event: string, entry: object): object =>
    mustBeJudged({ host, event }) ? entry : (JSON.parse(JSON.stringify(entry), marked) as object);
  // Kimi Code's plugins list hooks as its settings do, which are TOML.
  if (installation.kind === 'lines') {
    const { hooks } = parse(installation.lines(call).join('\n')) as { hooks: { event: string }[] };
    return hooks.map((entry) => fitting(entry.event, entry));
  }
  const hooks: Record<string, object[]> = {};
  for (const { event, entry } of installation.entries(call))
    (hooks[event] ??= []).push(fitting(event, entry));
  return hooks;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(join(root, 'plugins'), { recursive: true, force: true });
  for (const [path, text] of Object.entries(await pluginFiles())) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith('/hookmachine')) chmodSync(file, 0o755);
  }
}
