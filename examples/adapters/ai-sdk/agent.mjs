import { simulateReadableStream, stepCountIs, streamText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { withHooks } from 'hookmachine/ai-sdk';
import { z } from 'zod';

const notes = [];
const write_note = tool({
  description: 'Writes a note',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => {
    notes.push(text);
    return `${notes.length} notes.`;
  },
});

// Any model object, such as openai('gpt-5'); this one needs no key.
const call = (toolCallId, text) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'write_note',
  input: JSON.stringify({ text }),
});
const answers = [
  [call('1', 'Buy milk.'), call('2', 'The password is hunter2.')],
  [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'The note is written; ' },
    { type: 'text-delta', id: '1', delta: 'your number is 555-0199.' },
    { type: 'text-end', id: '1' },
  ],
];
const some = new MockLanguageModelV3({
  doStream: async () => {
    const said = answers.shift();
    const unified = answers.length > 0 ? 'tool-calls' : 'stop';
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const finish = { type: 'finish', usage, finishReason: { unified, raw: undefined } };
    return { stream: simulateReadableStream({ chunks: [...said, finish] }) };
  },
});

const { model, tools, hooks } = withHooks({
  model: some,
  tools: { write_note },
  cwd: import.meta.dirname,
});
const prompt = 'Note the milk and the password.';
const { fullStream } = streamText({ model, tools, prompt, stopWhen: stepCountIs(5) });
for await (const part of fullStream) {
  if (part.type === 'tool-call') console.log(`${part.toolName}:`, part.input.text);
  if (part.type === 'tool-result') console.log(' ', part.output);
  if (part.type === 'tool-error') console.log('  denied:', part.error.message);
  if (part.type === 'text-delta') console.log(`model: ${part.text}`);
}
await hooks.end();
