import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { executeToolWithHooks } from '../src/core/calls/run-tool-call.ts';
import { createConfig } from '../src/hosts/system/create-config.ts';
import { startInspector } from '../src/watch/inspector/start-inspector.ts';
import type { OpenEngine } from './engine.ts';
import { openHalf } from './half-open.ts';

/** A call asks about trust once while it plans; from the second time on, a hook is about to start. */
const asksOfAPlan = 1;

/** hookmachine, from its settings to its tool call. */
export const openOurs: OpenEngine = async ({
  fault,
  policy,
  fate,
  command,
  timeout,
  folder,
  tell,
}) => {
  const hook = {
    type: 'command' as const,
    name: 'guard',
    command,
    timeout,
    onFailure: policy,
    leftBehind: fate,
  };
  const settings = { enableHooks: true, hooks: { BeforeTool: [{ hooks: [hook] }] } };
  if (fault.fromFile) {
    mkdirSync(join(folder, '.llxprt'));
    writeFileSync(join(folder, '.llxprt', 'settings.json'), JSON.stringify(settings));
  }
  const systemFolder = join(folder, 'system');
  mkdirSync(join(systemFolder, 'llxprt-code'), { recursive: true });
  if (fault.systemSettings !== undefined)
    writeFileSync(join(systemFolder, 'llxprt-code', 'settings.json'), fault.systemSettings);
  let asked = 0;
  const config = createConfig({
    cwd: fault.cwd?.(folder) ?? folder,
    systemFolder,
    ...(fault.fromFile ? { watch: true } : { settings }),
    ...(fault.trust === 'swapped' && {
      checkTrust: () => ({ trusted: true }),
      verifyTrust: async () =>
        readFileSync(join(folder, 'guard.sh'), 'utf8') === fault.files!['guard.sh']
          ? { trusted: true }
          : { trusted: false, why: 'its script has changed', fix: 'look at it' },
    }),
    ...((fault.trust === 'none' || fault.trust === 'lost') && {
      isTrustedFolder: () => fault.trust === 'lost' && asked++ < asksOfAPlan,
    }),
    onWarning: tell,
  });
  if (fault.source !== undefined) {
    const { source } = fault;
    Object.assign(config, { getHookSources: () => [{ source, hooks: settings.hooks }] });
  }
  if (fault.isHalfInspected) {
    await openHalf((await startInspector(config)).url);
    // In a checkout the page is bundled when it is first read, by a process that would count as left behind.
    await stop();
  }
  await config.getHookSystem()!.initialize();
  return {
    async call() {
      let ran = false;
      const input = fault.toolInput?.() ?? { file_path: 'a.txt' };
      const result = await executeToolWithHooks(config, 'write_file', input, () => {
        ran = true;
        return Promise.resolve({ llmContent: 'written', returnDisplay: 'Written.' });
      });
      return ran ? { isDenied: false } : { isDenied: true, reason: result.returnDisplay };
    },
  };
};
