import type { HookEventName } from '../protocol/events.ts';
import type { HookOutput } from '../protocol/output.ts';
import {
  AfterToolHookOutput,
  BeforeToolHookOutput,
  DefaultHookOutput,
} from '../protocol/output-classes.ts';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
} from './model-outputs.ts';

/**
 * The general factory: the model events have classes of their own, any other event gets a plain
 * output, which for BeforeTool ignores `permissionDecision` (HOOK-200).
 *
 * @example
 * createHookOutput('BeforeTool', { decision: 'deny' }).isBlockingDecision(); // true
 */
export function createHookOutput(event: HookEventName, output: HookOutput): DefaultHookOutput {
  switch (event) {
    case 'BeforeModel':
      return new BeforeModelHookOutput(output);
    case 'AfterModel':
      return new AfterModelHookOutput(output);
    case 'BeforeToolSelection':
      return new BeforeToolSelectionHookOutput(output);
    default:
      return new DefaultHookOutput(output);
  }
}

/** The class that a merged output is wrapped in; for BeforeTool it honours `permissionDecision` (HOOK-200). */
export function createSpecificHookOutput(
  output: HookOutput,
  event: HookEventName,
): DefaultHookOutput {
  switch (event) {
    case 'BeforeTool':
      return new BeforeToolHookOutput(output);
    case 'AfterTool':
      return new AfterToolHookOutput(output);
    default:
      return createHookOutput(event, output);
  }
}
