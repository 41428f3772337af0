import { streamingHooks } from '../../core/calls/answer-stream-ports.ts';
import {
  hasHooks,
  isPending,
  isUnready,
  plannedHooks,
  type Ready,
  readyHookSystem,
} from '../../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { isObserved } from '../../core/run/telemetry.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import { hookEventNames, type HookEventName } from '../../core/protocol/events.ts';

/**
 * Whether hooks may match an event. Also true until hooks have been found, and if there is no hook system and
 * that blocks.
 */
export function mayHaveHooks(
  config: HookSystemConfig,
  event: HookEventName,
  subject?: string,
): boolean {
  const system = readyHookSystem(config);
  return isPending(system) || isUnready(system) || hasHooks(system, event, subject);
}

/** Whether no AfterModel hook wants the whole answer, so that its text is passed on as it arrives. */
function streamsTextOf(config: HookSystemConfig): boolean {
  const system = readyHookSystem(config);
  const after = isPending(system) ? undefined : plannedHooks(config, system, 'AfterModel');
  return after !== undefined && streamingHooks(after).others.length === 0;
}

/**
 * Whether any hook may apply, or anything observes; if not, the framework continues as if we were not there.
 */
function hasAny(config: HookSystemConfig, system: Ready): boolean {
  if (isObserved(config)) return true;
  if (system === undefined) return false;
  if (isUnready(system)) return true;
  return [...hookEventNames, ...toolEvents].some((event) => hasHooks(system, event));
}

const toolEvents = ['BeforeTool', 'ToolPermission', 'AfterTool', 'ToolFailed'] as const;

/** The events of a model call that wants no tool. */
const eventsOfModelCalls = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'BeforeToolSelection',
  'AfterModel',
] as const satisfies readonly HookEventName[];

/** Whether no hook would run for a model call, whichever of these tools the model then wants. */
const isPlainModelCall = (config: HookSystemConfig, tools: readonly string[]): boolean =>
  !isObserved(config) &&
  !eventsOfModelCalls.some((event) => mayHaveHooks(config, event)) &&
  tools.every((name) => isPlainTool(config, name));

/** Whether only the tool would run, and no hook would see a question about it. */
const isPlainTool = (config: HookSystemConfig, name: string): boolean =>
  !isObserved(config) &&
  !toolEvents.some((event) => mayHaveHooks(config, event, name)) &&
  !mayHaveHooks(config, 'Notification', 'ToolPermission');

/**
 * What a framework asks ahead of its calls. Each is a look-up that waits for nothing; until hooks have been
 * found, the answer is the one that is safe.
 */
export abstract class LooksAhead {
  abstract readonly config: HookSystemConfig;
  abstract get isDurable(): boolean;
  /** The name by which hooks know a tool. */
  abstract nameOf(toolName: string): string;
  /** Whether anything is under way that hooks have acted on, or this run is. */
  protected abstract isUnderWay(run?: object): boolean;
  /** Whether hooks have decided about a call, or stopped its agent. */
  protected abstract isDecided(asked: ToolCallRequest): boolean;

  /**
   * Whether text must be held back until the answer is whole, because AfterModel hooks may change it.
   */
  holdsAnswers(): boolean {
    return mayHaveHooks(this.config, 'AfterModel');
  }

  /** Whether hooks get the text of an answer as it arrives; it then passes through `onText`. */
  streamsText(): boolean {
    return streamsTextOf(this.config);
  }

  /** Whether a tool call must be held back until the answer is whole, because it may be rewritten. */
  holdsCall(toolName: string): boolean {
    return this.holdsAnswers() || mayHaveHooks(this.config, 'BeforeTool', this.nameOf(toolName));
  }

  /**
   * Whether an answer may turn out not to be the last of its turn: AfterAgent hooks may make the agent
   * continue.
   */
  maySendOn(): boolean {
    return mayHaveHooks(this.config, 'AfterAgent');
  }

  /**
   * Whether a hook applies, has acted on something under way, or somebody observes: otherwise the framework
   * continues as if we were not there.
   */
  seesAnything(): boolean {
    const system = readyHookSystem(this.config);
    return this.isDurable || this.isUnderWay() || isPending(system) || hasAny(this.config, system);
  }

  /** Whether a hook matches this tool, whose calls are then judged. */
  judgesTool(toolName: string): boolean {
    return this.isDurable || !isPlainTool(this.config, this.nameOf(toolName));
  }

  /**
   * Whether a hook matches a model call with these tools on offer, whichever of them the model wants, or has
   * stopped what is under way, or `run`.
   */
  judgesModelCall(tools: readonly string[], run?: object): boolean {
    const names = tools.map((name) => this.nameOf(name));
    return this.isDurable || this.isUnderWay(run) || !isPlainModelCall(this.config, names);
  }

  /** Whether a tool call is judged: a hook matches its tool, or has refused it, or stopped its agent. */
  judgesToolCall(asked: ToolCallRequest): boolean {
    return this.judgesTool(asked.name) || this.isDecided(asked);
  }

  /**
   * Finds the hooks. Returns undefined once they are found. Never rejects.
   */
  ready(): Promise<unknown> | undefined {
    const ready = readyHookSystem(this.config);
    return isPending(ready) ? ready : undefined;
  }
}
