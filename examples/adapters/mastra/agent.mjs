import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { hooksOf, withHooks } from 'hookmachine/mastra';
import { z } from 'zod';

const notes = [];
const writeNote = createTool({
  id: 'write_note',
  description: 'Writes a note',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => {
    notes.push(text);
    return `${notes.length} notes.`;
  },
});

// Any model object of the AI SDK, or a name such as "openai/gpt-5"; this one needs no key.
const call = (toolCallId, text) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'write_note',
  input: JSON.stringify({ text }),
});
const answers = [
  [call('1', 'Buy milk.'), call('2', 'The password is hunter2.')],
  [{ type: 'text', text: 'The note is written; your number is 555-0199.' }],
];
const model = {
  specificationVersion: 'v2',
  provider: 'none',
  modelId: 'some-model',
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    for (const { type, toolCallId, output } of prompt.flatMap(({ content }) => content))
      if (type === 'tool-result') console.log(`  ${toolCallId}: ${output.value}`);
    const content = answers.shift();
    const finishReason = answers.length > 0 ? 'tool-calls' : 'stop';
    return {
      content,
      finishReason,
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      warnings: [],
    };
  },
};

const config = withHooks(
  {
    id: 'notes',
    name: 'notes',
    instructions: 'You keep notes.',
    model,
    tools: { write_note: writeNote },
  },
  { cwd: import.meta.dirname },
);
const agent = new Agent(config);
const { text } = await agent.generate('Note the milk and the password.');
console.log(`model: ${text}`);
await hooksOf(config).end();
