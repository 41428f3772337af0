/*
 * A host of an agent in a process of its own: it begins a run, or goes on with the conversation that it is given
 * and with what that says of the question.
 */
import { appendFileSync } from 'node:fs';

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
const finish = (word) => ({ unified: word, raw: word });
const wanted = (id, input) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'write',
  input: JSON.stringify(input),
});

export async function host(sdk, durable, order) {
  const { generateText, isStepCount, tool, z, Mock, withHooks } = sdk;
  const suspended = [];
  const asked = [];
  let count = 0;
  const model = new Mock({
    modelId: 'some-model',
    doGenerate: async ({ prompt }) => {
      asked.push(prompt);
      const calls =
        order.saved === undefined && count++ === 0 ? (order.calls ?? [{ path: 'a.txt' }]) : [];
      return {
        content:
          calls.length > 0
            ? calls.map((input, index) => wanted(`call-${index + 1}`, input))
            : [{ type: 'text', text: 'Done.' }],
        finishReason: finish(calls.length > 0 ? 'tool-calls' : 'stop'),
        usage,
        warnings: [],
      };
    },
  });
  const write = tool({
    ...(order.hasQuestion && { needsApproval: true }),
    inputSchema: z.object({ path: z.string(), mode: z.string().default('new') }),
    execute: async (input) => {
      appendFileSync('tool.log', `${JSON.stringify(input)}\n`);
      if (order.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'written';
    },
  });
  const guarded = withHooks({
    model,
    tools: { write },
    durable,
    sessionId: order.session ?? 's-1',
    onSuspended: (call) => suspended.push(call),
  });
  const before = order.saved ?? [{ role: 'user', content: 'Go' }];
  // What a client might send back in the place of what it was given.
  for (const { role, content } of before)
    if (role === 'assistant' && order.forged)
      for (const part of content)
        Object.assign(part, part.type === 'tool-call' ? { input: order.forged } : { inputSchemaInput: order.forged }); // prettier-ignore
  const go = async (given) => {
    const messages = withAnswers(given, order.says !== 'no');
    try {
      const result = await generateText({
        model: guarded.model,
        tools: guarded.tools,
        messages,
        stopWhen: isStepCount(4),
        maxRetries: 0,
      });
      const { text, response } = result;
      // A version gives the messages of the last step there, and all of them elsewhere.
      return { text, saved: [...messages, ...(result.responseMessages ?? response.messages)] };
    } catch (error) {
      return { code: error.code, error: error.message };
    }
  };
  const said = await go(before);
  const more = order.answersHere ? await answeredHere(durable, () => go(said.saved)) : {};
  await guarded.hooks.end();
  return { ...said, ...more, suspended, asked };
}

/** The conversation with what its user says to the questions in it. */
function withAnswers(messages, approved) {
  const content = messages.findLast(({ role }) => role === 'assistant')?.content;
  const questions = Array.isArray(content)
    ? content.filter(({ type }) => type === 'tool-approval-request')
    : [];
  const answers = questions.map(({ approvalId }) => ({
    type: 'tool-approval-response',
    approvalId,
    approved,
  }));
  return answers.length > 0 ? [...messages, { role: 'tool', content: answers }] : messages;
}

/** The same run, which goes on in this process: before the answer, and after it. */
async function answeredHere(durable, go) {
  const { code: early } = await go();
  await durable.approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
  return { early, ...(await go()) };
}
