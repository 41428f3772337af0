import type { NeutralRequest } from '../../core/calls/run-model-call.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import type { AdapterOptions } from '../parts/options.ts';
import { answerOf, toNeutralResponse } from './answer.ts';
import { canAsk } from './approval.ts';
import { type Core, loadCore } from './core.ts';
import { hooksOf } from './hooks-of.ts';
import { type InterposedCall, interposed, isChatModel } from './interposed-model.ts';
import { nameOfModel, warnOfProviderTools } from './model-call.ts';
import { fromNeutralMessages, toNeutralMessages } from './request.ts';
import { changedSettings, settingsOf, withSettings } from './settings.ts';
import { chosenTools, nameOfTool, withSystemText } from './tools.ts';
import type { Answer, ChatModel, Message, Options } from './types.ts';

/**
 * Puts the user's hooks around a chat model, for LangGraph graphs without `createAgent`. Guard its tools with
 * the same options object or the same `config`, so that what hooks decided at the model's answer still holds
 * when the tools run.
 *
 * @example
 * const options = { cwd: process.cwd() };
 * const model = guardModel(new ChatOpenAI({ model: 'gpt-5' }), options).bindTools(tools);
 * const tools = new ToolNode([read, write].map((tool) => guardTool(tool, options)));
 */
export function guardModel<Model extends object>(
  model: Model,
  options: AdapterOptions = {},
): Model {
  const hooks = hooksOf(options);
  return interposed(model, {
    // Text that is said and then said again would become one message.
    holdsText: () => hooks.holdsAnswers() || hooks.maySendOn(),
    streamsText: () => hooks.streamsText() && !hooks.maySendOn(),
    holdsCalls: (bound) =>
      bound === undefined || bound.tools.some((tool) => hooks.holdsCall(nameOfTool(tool))),
    answer: (call) => answerThrough(hooks, call),
  }) as Model;
}

async function answerThrough(hooks: AgentHooks, call: InterposedCall): Promise<Answer> {
  const { model, messages, options, bound } = call;
  await hooks.ready();
  if (!hooks.seesAnything()) return call.ask(messages, options);
  const offered = bound?.tools ?? (options['tools'] as readonly unknown[] | undefined) ?? [];
  const toolNames = offered.map(nameOfTool);
  if (!hooks.judgesModelCall(toolNames)) {
    const answer = await call.ask(messages, options);
    warnOfProviderTools(hooks, answer);
    return answer;
  }
  const core = await loadCore();
  const settings = settingsOf(model, options);
  const request: NeutralRequest = {
    model: nameOfModel(model),
    messages: toNeutralMessages(messages),
    tools: toolNames,
    settings,
  };
  let given: Answer | undefined;
  const response = await hooks.model(
    request,
    async (asked, signal, text) => {
      const changes = changedSettings(settings, asked.settings);
      const chosen = choose(call, offered, asked, hooks);
      given = await call.ask(
        withSystem(fromNeutralMessages(asked.messages, core), asked.system, core),
        { ...chosen.options, ...changes, signal },
        text,
        withSettings(chosen.model, changes) as ChatModel,
      );
      warnOfProviderTools(hooks, given);
      return toNeutralResponse(given);
    },
    {
      signal: options['signal'] as AbortSignal | undefined,
      canAsk: canAsk(core.runtime() ?? {}),
      ...(call.show && { onText: call.show }),
    },
  );
  return answerOf(response, given, core);
}

/** The model and its options with the tools that may be called. Providers have tool forms of their own. */
function choose(
  { model, options, bound }: InterposedCall,
  offered: readonly unknown[],
  { toolConfig }: NeutralRequest,
  hooks: AgentHooks,
): { readonly model: ChatModel; readonly options: Options } {
  if (toolConfig === undefined) return { model, options };
  const { tools = [], toolChoice } = chosenTools({ tools: offered }, toolConfig, hooks);
  const { tools: _, tool_choice: __, ...rest } = options;
  if (tools.length === 0) return { model: bound?.plain ?? model, options: rest };
  const choice = toolChoice === undefined ? {} : { tool_choice: toolChoice };
  if (bound === undefined) return { model, options: { ...options, tools, ...choice } };
  const again = bound.bind(tools, { ...bound.options, ...choice }) as {
    readonly bound?: ChatModel;
    readonly kwargs?: Options;
  };
  return isChatModel(again)
    ? { model: again, options: rest }
    : { model: again.bound ?? model, options: { ...rest, ...again.kwargs } };
}

/** The conversation with one more text that only the model reads. */
function withSystem(messages: readonly Message[], text: string | undefined, core: Core): Message[] {
  if (text === undefined) return [...messages];
  const [first, ...rest] = messages;
  return first?.type === 'system'
    ? [withSystemText(first, text, core), ...rest]
    : [withSystemText(undefined, text, core), ...messages];
}
