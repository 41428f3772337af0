import {
  Agent,
  type Model,
  type ModelRequest,
  Runner,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents';
import { z } from 'zod';
import { withHooks } from '../../../../src/entries/openai-agents.ts';
import { measure } from '../../bench/measure.ts';

setTracingDisabled(true);

const wantedBy = ({ input }: ModelRequest): number => {
  const last = typeof input === 'string' ? { content: input } : input.at(-1);
  return last && 'content' in last ? Number(/\d+/.exec(JSON.stringify(last.content))?.[0]) : 0;
};

const answerTo = (request: ModelRequest) => ({
  usage: new Usage(),
  output:
    wantedBy(request) > 0
      ? Array.from({ length: wantedBy(request) }, (_, index) => ({
          type: 'function_call' as const,
          callId: `call-${index}`,
          name: 'read',
          status: 'completed' as const,
          arguments: '{"path":"a.txt"}',
        }))
      : [
          {
            type: 'message' as const,
            role: 'assistant' as const,
            status: 'completed' as const,
            content: [{ type: 'output_text' as const, text: 'It is done.' }],
          },
        ],
});

const model: Model = {
  getResponse: async (request) => answerTo(request),
  async *getStreamedResponse(request) {
    for (let word = 0; word < 20; word++)
      yield { type: 'output_text_delta', delta: `word ${word} ` };
    const { output } = answerTo(request);
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    yield { type: 'response_done', response: { id: 'r', usage, output } };
  },
};

await measure((cwd) => {
  const read = tool({
    name: 'read',
    description: 'Reads a file',
    parameters: z.object({ path: z.string() }),
    execute: async () => 'text',
  });
  const agent = new Agent({ name: 'bench', instructions: 'Help.', model, tools: [read] });
  const plain = new Runner();
  const runner = cwd === undefined ? plain : withHooks(plain, { cwd, agents: [agent] });
  return {
    run: (toolCalls) => runner.run(agent, `${toolCalls}`),
    async stream(onText) {
      const result = await runner.run(agent, '0', { stream: true });
      for await (const event of result)
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
          onText();
      await result.completed;
    },
  };
});
