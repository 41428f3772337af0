/*
 * A host of an agent in a process of its own: it begins a run, or goes on with the state that it is given, having
 * approved or rejected what that asks.
 */
import { appendFileSync } from 'node:fs';
import { Agent, Runner, RunState, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { createConfig } from 'hookmachine';
import { connectDurable } from 'hookmachine/durable';
import { withHooks } from 'hookmachine/openai-agents';
import { runHost } from '../durable-host.mjs';

setTracingDisabled(true);

await runHost({ createConfig, connectDurable }, async (durable, order) => {
  const suspended = [];
  const { saved, says, calls = [{ path: 'a.txt' }] } = order;
  const done = [assistantMessage('Done.')];
  const wanted = calls.map((input, index) =>
    functionCall('write', input, { callId: `call-${index + 1}` }),
  );
  const model = new ScriptedModel(saved === undefined ? [wanted, done] : [done]);
  const write = tool({
    name: 'write',
    description: 'Writes.',
    parameters: z.object({ path: z.string() }),
    execute: async (input) => {
      appendFileSync('tool.log', `${JSON.stringify(input)}\n`);
      if (order.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'written';
    },
  });
  const agent = new Agent({ name: 'agent', model, tools: [write] });
  const onSuspended = (call) => suspended.push(call);
  const runner = withHooks(new Runner(), { durable, sessionId: 's-1', onSuspended });
  try {
    let input = 'Go';
    if (saved !== undefined) {
      input = await RunState.fromString(agent, saved);
      for (const question of input.getInterruptions())
        if (says === 'no') input.reject(question);
        else input.approve(question);
    }
    const result = await runner.run(agent, input);
    return {
      text: result.interruptions.length > 0 ? '' : result.finalOutput,
      suspended,
      saved: result.state.toString(),
      asked: model.calls,
    };
  } catch (error) {
    return { code: error.code ?? error.error?.code, error: error.message, suspended, saved };
  }
});
