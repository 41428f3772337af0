import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pluginFiles } from '../../scripts/plugins.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { programOf } from './installed.ts';
import { realHosts } from './real-host.ts';
import { runHost, type HostRunOptions } from './run-host.ts';

const { PLUGIN_HOSTS = '' } = process.env;

/** A copy of the repository's plugins and marketplaces, as an agent fetches them. */
async function repository(): Promise<string> {
  const folder = tempFolder();
  for (const [path, text] of Object.entries(await pluginFiles())) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith('/hookmachine')) chmodSync(file, 0o755);
  }
  return folder;
}

/** How a user has each agent install the plugin from a folder. */
const installs: Readonly<
  Record<string, (folder: string) => NonNullable<HostRunOptions['plugin']>>
> = {
  'claude-code': (folder) => async (agent) => {
    await agent('plugin', 'marketplace', 'add', folder);
    await agent('plugin', 'install', 'hookmachine@hookmachine');
  },
  codex: (folder) => async (agent) => {
    await agent('plugin', 'marketplace', 'add', folder);
    await agent('plugin', 'add', 'hookmachine@hookmachine');
  },
  copilot: (folder) => async (agent) => {
    await agent('plugin', 'marketplace', 'add', folder);
    await agent('plugin', 'install', 'hookmachine@hookmachine');
  },
  'gemini-cli': (folder) => (agent) =>
    agent('extensions', 'install', join(folder, 'plugins/gemini-cli'), '--consent'),
  'qwen-code': (folder) => (agent) =>
    agent('extensions', 'install', join(folder, 'plugins/qwen-code'), '--consent'),
  // Its own command for that is a dialog; this is what the dialog leaves behind.
  kimi: (folder) => (_, home) => {
    const at = join(home, '.kimi-code/plugins');
    const root = join(at, 'managed/hookmachine');
    cpSync(join(folder, 'plugins/kimi'), root, { recursive: true });
    const now = new Date().toISOString();
    const plugin = {
      id: 'hookmachine',
      root,
      source: 'local-path',
      originalSource: folder,
      enabled: true,
      installedAt: now,
      updatedAt: now,
    };
    writeFileSync(join(at, 'installed.json'), JSON.stringify({ version: 1, plugins: [plugin] }));
  },
};

for (const [name, install] of Object.entries(installs))
  test(`the guards are on once ${name} has installed the plugin`, async ({ skip }) => {
    skip(programOf(name) === undefined, `${name} is not installed: npm run hosts -- ${name}`);
    skip(!PLUGIN_HOSTS.split(' ').includes(name), `only npm run hosts -- ${name} runs it`);
    const host = realHosts.find((one) => one.name === name)!;
    const folder = await repository();
    const command = 'touch ran; dd if=/dev/null of=/dev/sdz';
    const { made, requests, output } = await runHost(
      host,
      {},
      { plugin: install(folder), calls: () => [host.shell(command)] },
    );
    expect([made('ran'), output]).toEqual([false, expect.anything()]);
    expect(requests.at(-1)).toContain('overwrites /dev/sdz');
  });

test('the plugins in the repository are those that npm run plugins writes', async () => {
  for (const [path, text] of Object.entries(await pluginFiles()))
    expect([path, readFileSync(path, 'utf8')]).toEqual([path, text]);
});
