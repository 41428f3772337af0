import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import { relayText } from '../parts/extension-relay.ts';
import { relayMark } from '../parts/relay-entry.ts';

// oxlint-disable max-lines-per-function -- it is one text

/** The extension. It contains no code of hookmachine and passes every event on to the relay. */
export const extensionText = (call: string): string => `// ${relayMark}
${relayText(call)}
const { env } = process;
/** How many times in a row hooks may make the agent continue. */
const mostRounds = ${defaultMaxRejections};

const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? [])
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join('\\n');

/** A message with another text; its other parts stay. */
const withText = (message, text) => ({
  ...message,
  content:
    typeof message.content === 'string'
      ? text
      : [{ type: 'text', text }, ...message.content.filter(({ type }) => type !== 'text')],
});

const roles = { assistant: 'model', system: 'system' };

export default (pi) => {
  // \`hookmachine doctor --live\` has Pi ask a model of its own.
  const { HOOKMACHINE_CANARY_MODEL: canaryModel } = env;
  if (canaryModel)
    pi.registerProvider('hookmachine', {
      baseUrl: canaryModel,
      apiKey: 'none',
      api: 'openai-completions',
      models: [
        {
          id: 'm',
          name: 'm',
          reasoning: false,
          input: ['text'],
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          contextWindow: 100_000,
          maxTokens: 8_192,
        },
      ],
    });

  const say = (ctx, message) =>
    ctx.hasUI ? ctx.ui.notify(message, 'warning') : console.error(\`hookmachine: \${message}\`);
  const relay = async (event, fields, ctx) => {
    const given = { session_id: ctx.sessionManager.getSessionId(), ...fields };
    const answer = await askRelay(event, given, ctx.cwd, (line) => say(ctx, line));
    if (answer.message !== undefined) say(ctx, answer.message);
    return answer;
  };

  /** What hooks add to the next prompt. */
  let added;
  let prompt = '';
  let rounds = 0;
  /** The last request to the model, and an answer in the place of the model's. */
  let request = { model: '', messages: [] };

  pi.on('session_start', async ({ reason }, ctx) => {
    const source = { startup: 'startup', resume: 'resume', new: 'clear' }[reason];
    if (source !== undefined) await relay('session_start', { source }, ctx);
  });

  pi.on('session_shutdown', async ({ reason }, ctx) => {
    if (reason === 'quit') await relay('session_shutdown', { reason: 'exit' }, ctx);
  });

  pi.on('input', async (event, ctx) => {
    if (event.source === 'extension') return;
    prompt = event.text;
    rounds = 0;
    const { deny, append } = await relay('input', { prompt }, ctx);
    added = append;
    if (deny === undefined) return;
    say(ctx, deny);
    if (!ctx.hasUI) process.exitCode = 1;
    return { action: 'handled' };
  });

  pi.on('before_agent_start', () => {
    const content = added;
    added = undefined;
    if (content !== undefined)
      return { message: { customType: 'hookmachine', content, display: true } };
  });

  pi.on('tool_call', async (event, ctx) => {
    const { deny, stop, ask, args } = await relay(
      'tool_call',
      { tool_call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input },
      ctx,
    );
    if (deny !== undefined) return { block: true, reason: deny, ...(stop && { terminate: true }) };
    if (ask !== undefined) {
      if (!ctx.hasUI) return { block: true, reason: \`\${ask} (nobody can be asked)\` };
      const isAllowed = await ctx.ui.confirm(\`Allow \${event.toolName}?\`, ask);
      if (!isAllowed) return { block: true, reason: \`the user refused: \${ask}\` };
    }
    if (args === undefined) return;
    for (const name of Object.keys(event.input)) delete event.input[name];
    for (const [name, value] of Object.entries(args))
      Object.defineProperty(event.input, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  });

  pi.on('tool_result', async (event, ctx) => {
    if (event.isError && textOf(event.content) === '') return;
    const { output, append, stop } = await relay(
      'tool_result',
      {
        tool_call_id: event.toolCallId,
        tool_name: event.toolName,
        tool_input: event.input,
        output: textOf(event.content),
      },
      ctx,
    );
    if (stop !== undefined) {
      say(ctx, stop);
      ctx.abort();
    }
    if (output === undefined && append === undefined) return;
    const others = event.content.filter(({ type }) => type !== 'text');
    const kept = output === undefined ? event.content : [{ type: 'text', text: output }, ...others];
    return { content: append === undefined ? kept : [...kept, { type: 'text', text: append }] };
  });

  pi.on('context_with_system', async ({ messages }, ctx) => {
    request = {
      model: ctx.model?.id ?? '',
      messages: messages.map(({ role, content }) => ({
        role: roles[role] ?? 'user',
        content: textOf(content),
      })),
    };
    const answer = await relay('context_with_system', { llm_request: request }, ctx);
    if (answer.deny !== undefined || answer.answer !== undefined) {
      say(ctx, answer.deny ?? answer.answer);
      // Nothing is sent to the model any more.
      ctx.abort();
      return;
    }
    const changed = answer.messages;
    if (changed === undefined) return;
    if (changed.length !== messages.length) {
      say(ctx, 'a hook added or removed messages, which Pi cannot do for it, so the call is not made');
      ctx.abort();
      return;
    }
    return {
      messages: messages.map((message, index) =>
        changed[index].content === request.messages[index].content
          ? message
          : withText(message, changed[index].content),
      ),
    };
  });

  pi.on('message_end', async ({ message }, ctx) => {
    if (message.role !== 'assistant') return;
    const text = textOf(message.content);
    if (text === '') return;
    const candidates = [{ content: { role: 'model', parts: [text] }, finishReason: 'STOP' }];
    const answer = await relay(
      'message_end',
      { llm_request: request, llm_response: { text, candidates } },
      ctx,
    );
    if (answer.stop !== undefined) {
      say(ctx, answer.stop);
      ctx.abort();
    }
    if (answer.text !== undefined && answer.text !== text)
      return { message: withText(message, answer.text) };
  });

  pi.on('agent_before_settle', async (event, ctx) => {
    const last = ctx.sessionManager
      .getBranch()
      .filter(({ type, message }) => type === 'message' && message.role === 'assistant')
      .at(-1);
    const again = await relay(
      'agent_before_settle',
      { prompt, response: textOf(last?.message.content), stop_hook_active: rounds > 0 },
      ctx,
    );
    if (again.prompt === undefined) return;
    if (rounds++ >= mostRounds)
      return say(ctx, 'the hooks would make the agent continue forever, so it stops here');
    const entry = {
      type: 'custom_message',
      customType: 'hookmachine',
      content: again.prompt,
      display: true,
    };
    return { entries: [...event.entries, entry], continue: true };
  });

  pi.on('session_before_compact', async ({ reason }, ctx) => {
    const trigger = reason === 'manual' ? 'manual' : 'auto';
    const { deny } = await relay('session_before_compact', { trigger }, ctx);
    if (deny !== undefined) return { cancel: true };
  });
};
`;
