import { loadEngine } from '../engine.ts';
import { toolInput, type EventScenario } from '../scenario.ts';
import { readEngineResult, type OpenContestant } from './contestant.ts';

/** Our engine, as the package exports it. */
export const open: OpenContestant = async (scenario: EventScenario, cwd) => {
  const { createConfig } = await loadEngine();
  const config = createConfig({
    cwd,
    sessionId: 'bench',
    settings: {
      tools: { enableHooks: scenario.enabled },
      hooks: { BeforeTool: scenario.groups },
    },
  });
  await config.getHookSystem()?.initialize();
  return {
    fire:
      scenario.event === 'BeforeTool'
        ? (toolName) =>
            config.getHookSystem()?.getEventHandler().fireBeforeToolEvent(toolName, toolInput)
        : (toolName) =>
            config.getHookSystem()?.getEventHandler().fireAfterToolEvent(toolName, toolInput, {}),
    read: readEngineResult,
  };
};
