import { Config, HookSystem } from '@google/gemini-cli-core';
import { toolInput, type EventScenario } from '../scenario.ts';
import { readEngineResult, type OpenContestant } from './contestant.ts';

/**
 * The peer: its own `HookSystem` over its own `Config`, created as its command line creates them, with
 * telemetry and usage statistics off.
 */
export const open: OpenContestant = async (scenario: EventScenario, cwd) => {
  const config = new Config({
    sessionId: 'bench',
    targetDir: cwd,
    cwd,
    debugMode: false,
    model: 'gemini-2.5-flash',
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    enableHooks: scenario.enabled,
    hooks: { BeforeTool: scenario.groups } as never,
  });
  await config.storage.initialize();
  // `Config.initialize` would start the rest of the agent as well.
  const system = config.getEnableHooks() ? new HookSystem(config) : undefined;
  await system?.initialize();
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
