import { loadEngine } from '../engine.ts';
import { handlerHook, handlersDialect } from './handlers.ts';
import { toolInput, type EventScenario } from '../scenario.ts';
import { readEngineResult, type OpenContestant } from './contestant.ts';

/** Our engine, as the package exports it. */
export const open: OpenContestant = async (scenario: EventScenario, cwd) => {
  const { createConfig } = await loadEngine();
  const config = createConfig({
    cwd,
    sessionId: 'bench',
    ...(scenario.handler && { dialects: [await handlersDialect()] }),
    settings: {
      tools: { enableHooks: scenario.enabled },
      hooks: {
        BeforeTool: scenario.handler
          ? [{ hooks: [handlerHook(scenario.handler, cwd) as never] }]
          : scenario.groups,
      },
    },
  });
  await config.getHookSystem()?.initialize();
  // Compared with starting a process, it does not matter whether V8 has optimized the engine yet; here it
  // would be all that matters.
  if (scenario.handler)
    for (let event = 0; event < 5_000; event++)
      await config.getHookSystem()?.getEventHandler().fireBeforeToolEvent('glob', toolInput);
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
