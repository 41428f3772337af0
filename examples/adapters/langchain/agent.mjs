import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { hooksMiddleware } from 'hookmachine/langchain';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const notes = [];
const writeNote = tool(
  ({ text }) => {
    notes.push(text);
    return `${notes.length} notes.`;
  },
  { name: 'write_note', description: 'Writes a note', schema: z.object({ text: z.string() }) },
);

// Any chat model of LangChain; this one needs no key.
const call = (id, text) => ({ id, name: 'write_note', args: { text }, type: 'tool_call' });
const model = fakeModel()
  .respond(
    new AIMessage({
      content: '',
      tool_calls: [call('1', 'Buy milk.'), call('2', 'The password is hunter2.')],
    }),
  )
  .respond(new AIMessage('The note is written; your number is 555-0199.'));

const hooks = hooksMiddleware({ cwd: import.meta.dirname });
const agent = createAgent({ model, tools: [writeNote], middleware: [hooks] });
const { messages } = await agent.invoke({ messages: 'Note the milk and the password.' });
await hooks.end();

for (const message of messages) {
  if (message.text !== '') console.log(`${message.type}: ${message.text}`);
  for (const { name, args } of message.tool_calls ?? []) console.log(`ai: ${name}`, args);
}
