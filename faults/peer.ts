import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { OpenEngine } from './engine.ts';

const name = '@google/gemini-cli-core';

/** The folder in which the benchmarks install the peer. */
const installed = fileURLToPath(new URL('../bench/', import.meta.url));

/** The peer's package; undefined if it is not installed. */
export function findPeer(folder: string = installed): string | undefined {
  const found = join(folder, 'node_modules', name);
  return existsSync(join(found, 'package.json')) ? found : undefined;
}

/** The part of the peer that is used here. */
interface Peer {
  readonly Config: new (options: object) => { readonly storage: { initialize(): Promise<void> } };
  readonly HookSystem: new (config: object) => {
    initialize(): Promise<void>;
    getEventHandler(): {
      fireBeforeToolEvent(tool: string, input: object): Promise<PeerResult>;
    };
  };
  readonly coreEvents: {
    on(event: string, listener: (feedback: { message: string }) => void): void;
  };
}

interface PeerResult {
  readonly finalOutput?: { isBlockingDecision(): boolean; getEffectiveReason(): string };
}

/** The peer: its own `HookSystem` over its own `Config`. It has only one policy. */
export const openPeer =
  (folder: string): OpenEngine =>
  async ({ fault, command, timeout, folder: project, tell }) => {
    const main = pathToFileURL(join(folder, 'dist', 'index.js')).href;
    const { Config, HookSystem, coreEvents } = (await import(main)) as Peer;
    const cwd = fault.cwd?.(project) ?? project;
    const hook = { type: 'command', name: 'guard', command, timeout };
    const config = new Config({
      sessionId: 'faults',
      targetDir: cwd,
      cwd,
      debugMode: false,
      model: 'none',
      usageStatisticsEnabled: false,
      telemetry: { enabled: false },
      enableHooks: true,
      hooks: { BeforeTool: [{ hooks: [hook] }] },
    });
    await config.storage.initialize();
    const system = new HookSystem(config);
    await system.initialize();
    for (const event of ['user-feedback', 'hook-system-message'])
      coreEvents.on(event, ({ message }) => tell(message));
    return {
      async call() {
        const input = fault.toolInput?.() ?? { file_path: 'a.txt' };
        const { finalOutput } = await system
          .getEventHandler()
          .fireBeforeToolEvent('write_file', input);
        return finalOutput?.isBlockingDecision()
          ? { isDenied: true, reason: finalOutput.getEffectiveReason() }
          : { isDenied: false };
      },
    };
  };
