/*
 * A host of an agent in a process of its own: it begins a run, or resumes the graph of the checkpoints that it is
 * given with what its user decides.
 */
import { appendFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { createConfig } from 'hookmachine';
import { connectDurable } from 'hookmachine/durable';
import { hooksMiddleware } from 'hookmachine/langchain';
import { runHost } from '../durable-host.mjs';

const asked = [];

class Scripted extends BaseChatModel {
  constructor(answers) {
    super({});
    this.answers = answers;
  }
  _llmType() {
    return 'scripted';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    asked.push(messages.map(({ content }) => content));
    const message = new AIMessage(this.answers.shift());
    return { generations: [{ text: message.text, message }] };
  }
}

await runHost({ createConfig, connectDurable }, async (durable, order) => {
  const suspended = [];
  const { saved, says, calls = [{ path: 'a.txt' }] } = order;
  const done = { content: 'Done.' };
  const wanted = {
    content: '',
    tool_calls: calls.map((args, index) => ({
      type: 'tool_call',
      id: `call-${index + 1}`,
      name: 'write',
      args,
    })),
  };
  const write = tool(
    async (input) => {
      appendFileSync('tool.log', `${JSON.stringify(input)}\n`);
      if (order.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'written';
    },
    { name: 'write', description: 'Writes.', schema: z.object({ path: z.string() }) },
  );
  const checkpointer = new MemorySaver();
  if (saved !== undefined) Object.assign(checkpointer, deserialize(Buffer.from(saved, 'base64')));
  const agent = createAgent({
    model: new Scripted(saved === undefined ? [wanted, done] : [done]),
    tools: [write],
    middleware: [
      hooksMiddleware({
        durable,
        sessionId: 's-1',
        onSuspended: (call) => suspended.push(call),
      }),
    ],
    checkpointer,
  });
  const config = { configurable: { thread_id: 'one' } };
  const keep = () => {
    const { storage, writes } = checkpointer;
    return serialize({ storage, writes }).toString('base64');
  };
  try {
    const decision = { type: says === 'no' ? 'reject' : 'approve' };
    const input =
      saved === undefined
        ? { messages: [new HumanMessage('Go')] }
        : new Command({ resume: { decisions: [decision] } });
    const { messages, __interrupt__: interrupts } = await agent.invoke(input, config);
    const text = interrupts?.length > 0 ? '' : messages.at(-1).text;
    return { text, suspended, saved: keep(), asked };
  } catch (error) {
    return { code: error.code, error: error.message, suspended, saved: keep(), asked };
  }
});
