import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { withHooks } from '../../../../src/entries/mastra.ts';
import { benchModel } from '../../ai-sdk/bench.ts';
import { measure, type Subject } from '../../bench/measure.ts';

const subject = (changed: (plain: AgentConfig) => AgentConfig): Subject => {
  const read = createTool({
    id: 'read',
    description: 'Reads a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async () => 'text',
  });
  const plain: AgentConfig = {
    id: 'bench',
    name: 'bench',
    instructions: 'Help.',
    model: benchModel('v2') as never,
    tools: { read },
  };
  const agent = new Agent(changed(plain));
  return {
    run: (toolCalls) => agent.generate(`${toolCalls}`),
    async stream(onText) {
      const { textStream } = await agent.stream('0');
      for await (const _ of textStream) onText();
    },
  };
};

await measure(
  (cwd) => subject((plain) => (cwd === undefined ? plain : withHooks(plain, { cwd }))),
  // A processor puts hooks around the tools of a step, and each processor costs some of Mastra's own time.
  () =>
    subject((plain) => ({
      ...plain,
      inputProcessors: [{ id: 'empty', processInputStep: async () => ({}) }],
    })),
);
