import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import type { LlmContent, ToolResult } from '../../core/protocol/tool-result.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { asGiven, asInput } from '../parts/run-tool.ts';
import type { FrameworkToolCall } from '../parts/run-tool.ts';
import { annotate, isPromiseLike, withAnnotations } from './annotations.ts';
import { isApproved } from './approvals.ts';
import { isParsed, parsedBy } from './parsed-by.ts';
import { HookDenial } from './denied.ts';
import type { AiSdkTool } from './types.ts';

type Input = Readonly<Record<string, unknown>>;

/** What the SDK gives a tool besides its arguments. */
interface ExecuteOptions {
  readonly toolCallId: string;
  readonly messages?: unknown;
  readonly abortSignal?: AbortSignal;
}

type Execute = (input: unknown, options: ExecuteOptions) => unknown;
type NeedsApproval = (input: unknown, options: ExecuteOptions) => unknown;

/** The parts of a tool that are replaced. */
interface Parts {
  readonly execute?: Execute;
  readonly needsApproval?: boolean | NeedsApproval;
  readonly toModelOutput?: (given: unknown) => unknown;
}

/** Puts hooks around a tool of the SDK; a tool that the provider runs is returned as it is. */
export function guarded<Tool extends AiSdkTool>(tool: Tool, name: string, hooks: AgentHooks): Tool {
  const own = tool as unknown as Parts;
  const isProviders = own.execute === undefined && 'type' in tool && isOfProvider(tool.type);
  if (isProviders) return tool;
  const parts: Parts = {
    needsApproval: (input, options) => mustAsk(hooks, own.needsApproval, name, input, options),
    ...(own.execute && {
      execute: (input, options) =>
        execute(
          hooks,
          { run: own.execute!.bind(tool), inputSchema: tool.inputSchema, name },
          input,
          options,
        ),
      toModelOutput: withAnnotations(own.toModelOutput?.bind(tool)),
    }),
  };
  const described = Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [
      key,
      { value, enumerable: true, configurable: true, writable: true },
    ]),
  );
  return Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool),
    ...described,
  }) as Tool;
}

const isOfProvider = (type: unknown): boolean => type === 'provider' || type === 'provider-defined';

/** A denied call asks nobody: it only returns its reason. */
function mustAsk(
  hooks: AgentHooks,
  own: Parts['needsApproval'],
  name: string,
  input: unknown,
  options: ExecuteOptions,
): unknown {
  const call = { id: options.toolCallId, name, input: asInput(input) };
  const verdict = hooks.verdictOf(call);
  if (verdict?.status === 'ended') return false;
  if (verdict?.status === 'asked') return true;
  // If a run is resumed elsewhere, the SDK asks whether there was a question at all: it may have been a
  // hook's.
  const isAnswered = hooks.judgesTool(name) && isApproved(options.messages, options.toolCallId);
  if (verdict === undefined && isAnswered) return true;
  const wanted = typeof own === 'function' ? own(input, options) : (own ?? false);
  const { abortSignal: signal } = options;
  if (isPromiseLike(wanted)) return wanted.then((asks) => asks && hooks.isToBeAsked(call, signal));
  return wanted && hooks.isToBeAsked(call, signal);
}

/** Why a call is refused that a hook wants asked about, but that the SDK runs anyway. */
const nobodyAsked = 'A hook wants the user to be asked about this call, but nobody was asked.';

/** The parts of a tool that its execution needs. */
interface Executed {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly run: Execute;
}

/** Runs a tool between its hooks; without hooks, it just runs. */
function execute(
  hooks: AgentHooks,
  { run: own, inputSchema, name }: Executed,
  input: unknown,
  options: ExecuteOptions,
): unknown {
  const { toolCallId: id, messages, abortSignal: signal } = options;
  const call = { id, name, input: asInput(input) };
  if (!hooks.judgesToolCall(call)) return own(input, options);
  const verdict = hooks.verdictOf(call);
  const approved = isApproved(messages, id);
  // A conversation that returns with an approval may come from a browser, with other arguments.
  const asked: FrameworkToolCall = {
    ...call,
    signal,
    isVerbatim: approved,
    read: async (parsed) => parsedBy(inputSchema, parsed),
    ...((approved || verdict) && { confirm: ({ reason }) => approved || (reason ?? nobodyAsked) }),
  };
  const judged =
    verdict?.status === 'allowed' ? isParsed(call.input, verdict.toolInput, inputSchema) : true;
  const isAsGiven = verdict?.status === 'allowed' && judged === true && !hooks.permittedInput(call);
  if (isAsGiven && !hooks.isDurable) {
    // The SDK must see at once whether a tool gives its result bit by bit.
    const given = attempt(() => own(input, options));
    return isIterable(given)
      ? stepByStep(hooks, asked, () => given)
      : whole(hooks, asked, () => given);
  }
  const final =
    judged === true
      ? asked
      : Promise.resolve(judged).then((same) => (same ? asked : { ...asked, isVerbatim: true }));
  const run = (toolInput: Input): unknown =>
    own(toolInput === asked.input ? input : asGiven(input, toolInput), options);
  return isGenerator(own)
    ? stepByStep(hooks, final, (toolInput) => run(toolInput) as AsyncIterable<unknown>)
    : whole(hooks, final, run);
}

/** Returns what a function gives, or a promise that rejects with what it throws. */
function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const thrown = Promise.reject(error);
    thrown.catch(() => undefined);
    return thrown;
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const isGenerator = (own: Execute): boolean =>
  Object.prototype.toString.call(own) === '[object AsyncGeneratorFunction]';

/** Runs a tool that gives one result. Throws what the tool throws, or a denial. */
export async function whole(
  hooks: AgentHooks,
  call: FrameworkToolCall | Promise<FrameworkToolCall>,
  run: (input: Input) => unknown,
): Promise<unknown> {
  const work = new Work();
  const asked = await call;
  const ended = await hooks.tool(asked, (input) =>
    work.done(async () => {
      const given = await run(input);
      if (!isIterable(given)) return given;
      let last: unknown;
      for await (const value of given) last = value;
      return last;
    }),
  );
  return work.outputOf(ended, asked.signal);
}

/** Runs a tool that gives its result bit by bit: its last value is held back, because hooks may change it. */
function stepByStep(
  hooks: AgentHooks,
  call: FrameworkToolCall | Promise<FrameworkToolCall>,
  run: (input: Input) => AsyncIterable<unknown>,
): AsyncIterable<unknown> {
  const work = new Work();
  return new ReadableStream<unknown>({
    async start(controller) {
      const asked = await call;
      const ended = await hooks.tool(asked, (input) =>
        work.done(async () => {
          const held: unknown[] = [];
          for await (const value of run(input)) {
            for (const before of held.splice(0)) controller.enqueue(before);
            held.push(value);
          }
          return held[0];
        }),
      );
      controller.enqueue(work.outputOf(ended, asked.signal));
      controller.close();
    },
  });
}

/** What a tool returned or threw, to be returned or thrown again if hooks left it alone. */
class Work {
  #output: unknown;
  #thrown: { readonly error: unknown } | undefined;
  #result: ToolResult | undefined;

  async done(run: () => Promise<unknown>): Promise<ToolResult> {
    try {
      this.#output = await run();
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
    this.#result = resultOf(this.#output);
    return this.#result;
  }

  /** Returns the output for the SDK; throws if there is none. */
  outputOf(ended: EndedToolCall, signal: AbortSignal | undefined): unknown {
    const { plainResult, toolResult, appended, outcome } = ended;
    const text = appended.join('');
    if (outcome.status === 'cancelled' && signal?.aborted) throw signal.reason;
    if (plainResult.error !== undefined) {
      if (this.#thrown && text === '') throw this.#thrown.error;
      const said = toolResult.llmContent;
      throw new HookDenial(
        typeof said === 'string' ? said : JSON.stringify(said),
        this.#thrown && { cause: this.#thrown.error },
      );
    }
    const output =
      plainResult.llmContent === this.#result?.llmContent ? this.#output : plainResult.llmContent;
    if (text === '') return output;
    if (typeof output === 'object' && output !== null) {
      annotate(output, text);
      return output;
    }
    return typeof output === 'string' ? output + text : `${asText(output)}${text}`.trimStart();
  }
}

const asText = (output: unknown): string => (output === undefined ? '' : JSON.stringify(output));

/** A tool's output as hooks see it: an object stays an object. */
function resultOf(output: unknown): ToolResult {
  const isContent = typeof output === 'string' || (typeof output === 'object' && output !== null);
  const returnDisplay = typeof output === 'string' ? output : asText(output);
  return { llmContent: isContent ? (output as LlmContent) : returnDisplay, returnDisplay };
}
