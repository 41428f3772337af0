import type { AnswerStreamInput } from '../../../machines/answer-stream.ts';
import type { AgentTurnInput } from '../../../machines/agent-turn.ts';
import type { HookEventInput } from '../../../machines/hook-event.ts';
import type { HookProcessInput } from '../../../machines/hook-process.ts';
import type { ModelCallInput } from '../../../machines/model-call.ts';
import type { ToolCallInput } from '../../../machines/tool-call.ts';
import { isRecord } from '../../base/json.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import type { JournaledHook, JournaledMachine, JournaledPlan } from './entry.ts';
import { plainName } from './hook-answer.ts';
import type { Redactor } from '../../settings/redaction/redactor.ts';

/** The input of each machine. */
interface Inputs {
  readonly agentTurn: AgentTurnInput;
  readonly modelCall: ModelCallInput;
  readonly toolCall: ToolCallInput;
  readonly hookEvent: HookEventInput;
  readonly answerStream: AnswerStreamInput;
  readonly hookProcess: HookProcessInput;
}

/** What is recorded from a machine's input. */
export interface Beginning {
  readonly name: string;
  readonly callId?: string;
  readonly plan?: JournaledPlan;
  /** Called only if payloads are on. */
  readonly given?: () => unknown;
}

type Beginnings = {
  readonly [Machine in JournaledMachine]: (
    input: Inputs[Machine],
    redactor: Redactor,
    /** Shows a name that a model may have made up. */
    shown: (name: string) => string,
  ) => Beginning;
};

const beginnings: Beginnings = {
  agentTurn: ({ prompt }) => ({ name: 'turn', given: () => prompt }),
  modelCall: ({ request }, { text }, shown) => ({
    name: text(
      shown(isRecord(request) && typeof request['model'] === 'string' ? request['model'] : ''),
    ),
    given: () => request,
  }),
  toolCall: ({ id, toolName, toolInput }, { text, id: shownId }, shown) => ({
    name: text(shown(toolName), longestName),
    callId: shownId(shown(id), longestName),
    given: () => toolInput,
  }),
  hookEvent: ({ event, lanes, hooks, payload }, { text }) => ({
    name: event,
    plan: {
      mode: lanes.length === 1 ? lanes[0]!.mode : 'parallel',
      ...(lanes.length > 1 && { lanes: lanes.map(({ dialect, mode }) => ({ dialect, mode })) }),
      hooks: (hooks as readonly RegisteredHook[]).map((hook) => journaled(hook, text)),
    },
    given: () => payload,
  }),
  answerStream: ({ event, hooks }, { text }) => ({
    name: event,
    plan: {
      mode: 'sequential',
      hooks: (hooks as readonly RegisteredHook[]).map((hook) => journaled(hook, text)),
    },
  }),
  hookProcess: ({ name, command, outlives }, { text }) => ({
    name: text(name, longestName),
    ...(outlives && {
      plan: {
        outlives: outlives.event,
        mode: 'parallel',
        hooks: [journaled(outlives.hook as RegisteredHook, text)],
      },
    }),
    given: () => stdinOf(command),
  }),
};

const journaled = (hook: RegisteredHook, text: Redactor['text']): JournaledHook => ({
  name: text(hook.name, longestName),
  source: hook.source,
  dialect: hook.dialect,
  ...(hook.nativeEvent !== undefined && { event: text(hook.nativeEvent, longestName) }),
  command: text(hook.command),
  timeout: hook.timeout,
  ...(hook.async && { async: hook.async }),
});

/** The longest name that is kept, in characters. A hook without a name is called by its command. */
export const longestName = 400;

/** Returns what is recorded when a machine of this kind begins. */
export const beginningOf = (
  machine: JournaledMachine,
  input: unknown,
  redactor: Redactor,
  payloads: boolean,
): Beginning =>
  (beginnings[machine] as Beginnings['toolCall'])(
    input as ToolCallInput,
    redactor,
    payloads ? (name) => name : plainName,
  );

/** A hook that may not run has no stdin. */
function stdinOf({ stdin }: HookProcessInput['command']): unknown {
  try {
    return JSON.parse(stdin());
  } catch {
    return undefined;
  }
}
