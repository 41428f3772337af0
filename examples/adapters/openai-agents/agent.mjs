import { Agent, Runner, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { withHooks } from 'hookmachine/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);
const notes = [];
const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note',
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => `${notes.push(text)} notes.`,
});

// Any model of the SDK; this one needs no key.
const call = (callId, text) => functionCall('write_note', { text }, { callId });
const model = new ScriptedModel([
  [call('1', 'Buy milk.'), call('2', 'The password is hunter2.')],
  [assistantMessage('The note is written; your number is 555-0199.')],
]);
const agent = new Agent({ name: 'Notes', model, tools: [writeNote] });

const runner = withHooks(new Runner(), { cwd: import.meta.dirname, agents: [agent] });
const { history, finalOutput } = await runner.run(agent, 'Note the milk and the password.');
await runner.end();

for (const item of history) {
  if (item.type === 'function_call') console.log(`call: ${item.arguments}`);
  if (item.type === 'function_call_result') console.log(`result: ${item.output.text}`);
}
console.log(finalOutput);
