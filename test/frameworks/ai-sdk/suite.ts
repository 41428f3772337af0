import { describe } from 'vitest';
import { calls } from './calls.ts';
import { isWhole } from '../installed.ts';
import { agentOf, type AgentOptions, type Suite } from './agent.ts';
import { isInstalled, loadSdk, type Version } from './sdk.ts';

/** What every version of the SDK must do, streamed and not. */
export function suite(version: Version, others: readonly ((suite: Suite) => void)[]): void {
  if (!isInstalled(version))
    process.stderr.write(`AI SDK ${version} is not installed, so its tests are skipped\n`);
  for (const mode of ['generated', 'streamed'] as const) {
    const agent = async (options: AgentOptions) => agentOf(await loadSdk(version), mode, options);
    const one: Suite = { version, mode, agent };
    const title = `an agent of AI SDK ${version}, ${mode}`;
    describe.skipIf(!isInstalled(version))(title, () => {
      calls(one);
      describe.skipIf(!isWhole)('further cases', () => {
        for (const other of others) other(one);
      });
    });
  }
}
