import { isDeepStrictEqual } from 'node:util';
import { ToolScheduler, type CompletedToolCall } from '../src/entries/agent.ts';
import { executeToolWithHooks, type HookSystemConfig } from '../src/index.ts';
import { callOf, type Call } from './calls.ts';
import { endless, type Expected } from './kinds.ts';
import { tools } from './session.ts';

/** How a batch is run. */
export interface BatchOptions {
  readonly config: HookSystemConfig;
  /** How many calls run at once. */
  readonly limit: number;
  /** Called with each deviation. */
  readonly wrong: (what: string) => void;
}

/** Runs these calls as those of one answer, and beside them a call that is cancelled when they have ended. */
export async function runBatch(
  calls: readonly Call[],
  { config, limit, wrong }: BatchOptions,
): Promise<void> {
  const emitted: CompletedToolCall[] = [];
  const abort = new AbortController();
  const beside = runBeside(config, calls[0]!.number, abort.signal, wrong);
  const onCompleted = (call: CompletedToolCall): void => void emitted.push(call);
  const batch = await new ToolScheduler({ config, tools, limit, onCompleted }).schedule(
    calls.map(({ request }) => request),
  );
  abort.abort('no longer wanted');
  await beside;
  for (const [index, { number, kind }] of calls.entries()) {
    const ended = batch.calls[index];
    const expected = kind.expected(number);
    if (ended === undefined) wrong(`call ${number} has no result`);
    else if (ended.request.id !== `call-${number}`)
      wrong(`call ${number} was asked for, but ${ended.request.id} was answered`);
    else if (emitted[index] !== ended) wrong(`call ${number} was reported out of its order`);
    else if (!isDeepStrictEqual(observed(ended), expected))
      wrong(
        `call ${number} (${kind.name}) ended with ${shown(observed(ended))} and not with ${shown(expected)}`,
      );
  }
  if (emitted.length !== calls.length)
    wrong(`${emitted.length} of ${calls.length} calls were reported`);
  const stops = calls.flatMap(({ number, kind }) => kind.expected(number).stop ?? []);
  if (batch.stop?.reason !== stops.join('\n'))
    wrong(`a batch was stopped by ${shown(batch.stop)} and not by ${shown(stops)}`);
}

/** How a call ended, in the terms of what is expected of it. */
export const observed = ({
  outcome,
  toolResult: { llmContent, error },
  stop,
}: Pick<CompletedToolCall, 'outcome' | 'toolResult' | 'stop'>): Expected => ({
  status: outcome.status,
  content: llmContent,
  ...(error?.type !== undefined && { error: error.type }),
  ...(stop && { stop: stop.reason }),
});

async function runBeside(
  config: HookSystemConfig,
  number: number,
  signal: AbortSignal,
  wrong: (what: string) => void,
): Promise<void> {
  const { request, kind } = callOf(number, endless);
  let ran = false;
  const tool = async () => {
    ran = true;
    return Promise.resolve({ llmContent: '', returnDisplay: '' });
  };
  const { llmContent, error } = await executeToolWithHooks(
    config,
    request.name,
    request.input,
    tool,
    { signal },
  );
  const { content, error: type } = kind.expected(number);
  if (ran || llmContent !== content || error?.type !== type)
    wrong(`the cancelled call next to ${number} ended with ${shown({ ran, llmContent, error })}`);
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';
