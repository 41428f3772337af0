import {
  BaseLlm,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  LogLevel,
  setLogLevel,
  StreamingMode,
} from '@google/adk';
import { z } from 'zod';
import { HooksPlugin } from '../../../../src/entries/adk.ts';
import { measure } from '../../bench/measure.ts';

setLogLevel(LogLevel.ERROR);

/** A model that makes as many tool calls as it is told to, and then says something. */
class BenchLlm extends BaseLlm {
  constructor() {
    super({ model: 'bench' });
  }

  override async *generateContentAsync(
    { contents }: LlmRequest,
    stream?: boolean,
  ): AsyncGenerator<LlmResponse, void> {
    const wanted = Number(contents.at(-1)?.parts?.[0]?.text ?? 0);
    if (stream)
      for (let word = 0; word < 20; word++)
        yield { partial: true, content: { role: 'model', parts: [{ text: `word ${word} ` }] } };
    const parts =
      wanted > 0
        ? Array.from({ length: wanted }, (_, index) => ({
            functionCall: { id: `call-${index}`, name: 'read', args: { path: 'a.txt' } },
          }))
        : [{ text: 'It is done.' }];
    yield { content: { role: 'model', parts } };
  }

  override connect(): never {
    throw new Error('not here');
  }
}

await measure((cwd) => {
  const read = new FunctionTool({
    name: 'read',
    description: 'Reads a file',
    parameters: z.object({ path: z.string() }),
    execute: async () => 'text',
  });
  const agent = new LlmAgent({ name: 'bench', model: new BenchLlm(), tools: [read] });
  const plugins = cwd === undefined ? [] : [new HooksPlugin({ cwd })];
  const runner = new InMemoryRunner({ agent, appName: 'bench', plugins });
  const run = async (text: string, streamingMode: StreamingMode, onText?: () => void) => {
    const asked = { appName: 'bench', userId: 'u' };
    const { id: sessionId } = await runner.sessionService.createSession(asked);
    const newMessage = { role: 'user', parts: [{ text }] };
    const runConfig = { streamingMode };
    for await (const { partial } of runner.runAsync({
      userId: 'u',
      sessionId,
      newMessage,
      runConfig,
    }))
      if (partial) onText?.();
    await runner.sessionService.deleteSession({ ...asked, sessionId });
  };
  return {
    run: (toolCalls) => run(`${toolCalls}`, StreamingMode.NONE),
    stream: (onText) => run('0', StreamingMode.SSE, onText),
  };
});
