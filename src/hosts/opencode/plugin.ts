import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import { relayMark } from '../parts/relay-entry.ts';
import { relayText } from '../parts/extension-relay.ts';

// oxlint-disable max-lines-per-function -- it is one text

/** The plugin file. It contains no code of hookmachine and passes every event on to the relay. */
export const pluginText = (call: string): string => `// ${relayMark}
${relayText(call)}
/** How many times in a row hooks may make the agent continue. */
const mostRounds = ${defaultMaxRejections};

export const Hookmachine = async ({ client, directory }) => {
  const warn = (message) =>
    client.app.log({ body: { service: 'hookmachine', level: 'warn', message } }).catch(() => {});

  const relay = (event, fields) => askRelay(event, fields, directory, warn);

  const prompts = new Map();
  const rounds = new Map();

  /** The last texts of a session. */
  const lastResponse = async (id) => {
    const { data = [] } = await client.session.messages({ path: { id } });
    const last = data.filter(({ info }) => info.role === 'assistant').at(-1);
    return textOf(last?.parts ?? []);
  };

  return {
    'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
      const { deny, args } = await relay('tool.execute.before', {
        session_id: sessionID,
        call_id: callID,
        tool,
        args: output.args,
      });
      if (deny !== undefined) throw new Error(deny);
      if (args === undefined) return;
      // Only changes to the object itself are seen.
      for (const name of Object.keys(output.args)) delete output.args[name];
      for (const [name, value] of Object.entries(args))
        Object.defineProperty(output.args, name, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, result) => {
      const answer = await relay('tool.execute.after', {
        session_id: sessionID,
        call_id: callID,
        tool,
        args: args ?? {},
        output: typeof result.output === 'string' ? result.output : textOf(result.content ?? []),
      });
      // Tools of MCP servers return parts instead of a text.
      if (typeof result.output !== 'string') {
        if (answer.output !== undefined) result.content = [{ type: 'text', text: answer.output }];
        if (answer.append !== undefined)
          result.content = [...(result.content ?? []), { type: 'text', text: answer.append }];
        return;
      }
      if (answer.output !== undefined) result.output = answer.output;
      if (answer.append !== undefined) result.output += \`\\n\\n\${answer.append}\`;
    },
    'chat.message': async ({ sessionID }, { parts }) => {
      const prompt = textOf(parts);
      // What hooks make the agent continue with is not a prompt from the user.
      if (prompts.get(sessionID) === prompt && rounds.get(sessionID)) return;
      prompts.set(sessionID, prompt);
      rounds.delete(sessionID);
      const { deny, append } = await relay('chat.message', { session_id: sessionID, prompt });
      if (deny !== undefined) throw new Error(deny);
      const text = parts.find(({ type }) => type === 'text');
      if (append !== undefined && text) text.text += \`\\n\\n\${append}\`;
    },
    event: async ({ event: { type, properties } }) => {
      if (type === 'session.created')
        await relay(type, { session_id: properties.info?.id });
      if (type !== 'session.idle') return;
      const id = properties.sessionID;
      const round = rounds.get(id) ?? 0;
      const response = await lastResponse(id).catch(() => '');
      const { prompt } = await relay(type, {
        session_id: id,
        prompt: prompts.get(id) ?? '',
        response,
        again: round > 0,
      });
      if (prompt === undefined) return void rounds.delete(id);
      if (round >= mostRounds) return void warn('the hooks would make the agent continue forever, so it stops here');
      rounds.set(id, round + 1);
      prompts.set(id, prompt);
      await client.session.prompt({
        path: { id },
        body: { parts: [{ type: 'text', text: prompt }] },
      });
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      await relay('session.compacting', { session_id: sessionID });
    },
  };
};

const textOf = (parts) =>
  parts
    .filter(({ type, synthetic }) => type === 'text' && !synthetic)
    .map(({ text }) => text)
    .join('\\n');
`;
