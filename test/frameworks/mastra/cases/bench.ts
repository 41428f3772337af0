import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { withHooks } from '../../../../src/entries/mastra.ts';
import { benchModel } from '../../ai-sdk/bench.ts';
import { measure } from '../../bench/measure.ts';

await measure((cwd) => {
  const read = createTool({
    id: 'read',
    description: 'Reads a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async () => 'text',
  });
  const plain = {
    id: 'bench',
    name: 'bench',
    instructions: 'Help.',
    model: benchModel('v2') as never,
    tools: { read },
  };
  const agent = new Agent(cwd === undefined ? plain : withHooks(plain, { cwd }));
  return {
    run: (toolCalls) => agent.generate(`${toolCalls}`),
    async stream(onText) {
      const { textStream } = await agent.stream('0');
      for await (const _ of textStream) onText();
    },
  };
});
