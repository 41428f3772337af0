import { Config, HookSystem } from '@google/gemini-cli-core';
import { toolInput, type EventScenario } from '../scenario.ts';
import { readEngineResult, type OpenContestant } from './contestant.ts';

/**
 * The peer's own `HookSystem` over its own `Config`, created as its command line creates them, with telemetry
 * and usage statistics off; undefined if hooks are off. No type is written here, because these types are not
 * there until `npm run bench` has installed the peer.
 */
export async function startHookSystem(
  cwd: string,
  enableHooks: boolean,
  hooks: Readonly<Record<string, unknown>>,
) {
  const config = new Config({
    sessionId: 'bench',
    targetDir: cwd,
    cwd,
    debugMode: false,
    model: 'gemini-2.5-flash',
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    enableHooks,
    hooks,
  });
  await config.storage.initialize();
  // `Config.initialize` would start the rest of the agent as well.
  const system = config.getEnableHooks() ? new HookSystem(config) : undefined;
  await system?.initialize();
  return system;
}

/** The peer. */
export const open: OpenContestant = async (scenario: EventScenario, cwd) => {
  const system = await startHookSystem(cwd, scenario.enabled, { BeforeTool: scenario.groups });
  const hooked = { getHookSystem: () => system };
  return {
    fire:
      scenario.event === 'BeforeTool'
        ? (toolName) =>
            hooked.getHookSystem()?.getEventHandler().fireBeforeToolEvent(toolName, toolInput)
        : (toolName) =>
            hooked.getHookSystem()?.getEventHandler().fireAfterToolEvent(toolName, toolInput, {}),
    read: readEngineResult,
  };
};
