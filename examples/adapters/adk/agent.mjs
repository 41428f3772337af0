import {
  BaseLlm,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  LogLevel,
  setLogLevel,
} from '@google/adk';
import { HooksPlugin } from 'hookmachine/adk';
import { z } from 'zod';

setLogLevel(LogLevel.ERROR);
const notes = [];
const writeNote = new FunctionTool({
  name: 'write_note',
  description: 'Writes a note',
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => `${notes.push(text)} notes.`,
});

// Any model of ADK; this one needs no key.
const call = (text) => ({ functionCall: { name: 'write_note', args: { text } } });
const answers = [
  [call('Buy milk.'), call('The password is hunter2.')],
  [{ text: 'The note is written; your number is 555-0199.' }],
];
class Scripted extends BaseLlm {
  async *generateContentAsync() {
    yield { content: { role: 'model', parts: answers.shift() } };
  }
}

const agent = new LlmAgent({
  name: 'Notes',
  model: new Scripted({ model: 'scripted' }),
  tools: [writeNote],
});
const hooks = new HooksPlugin({ cwd: import.meta.dirname });
const runner = new InMemoryRunner({ agent, appName: 'notes', plugins: [hooks] });
const newMessage = { role: 'user', parts: [{ text: 'Note the milk and the password.' }] };
for await (const { content } of runner.runEphemeral({ userId: 'me', newMessage }))
  for (const { text, functionCall, functionResponse } of content?.parts ?? [])
    console.log(text ?? JSON.stringify(functionCall?.args ?? functionResponse?.response));
await hooks.end();
