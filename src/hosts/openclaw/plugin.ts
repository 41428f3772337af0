import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import { longestWait, relayText } from '../parts/extension-relay.ts';
import { relayMark } from '../parts/relay-entry.ts';

// oxlint-disable max-lines-per-function -- it is one text

/** The plugin. It contains no code of hookmachine and passes every event on to the relay. */
export const pluginText = (call: string): string => `// ${relayMark}
${relayText(call)}
const { cwd: ownFolder } = process;

const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (Array.isArray(content) ? content : [])
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join('\\n');

export default {
  id: 'hookmachine',
  name: 'hookmachine',
  description: 'Calls hookmachine for tools, prompts and sessions.',
  register(api) {
    const warn = (message) => api.logger.warn(\`hookmachine: \${message}\`);
    /** The folders of sessions: a tool's event does not name its own. */
    const folders = new Map();
    const relay = (event, fields, { sessionId, workspaceDir }) => {
      if (workspaceDir !== undefined) folders.set(sessionId, workspaceDir);
      const cwd = folders.get(sessionId) ?? ownFolder();
      return askRelay(event, { session_id: sessionId, ...fields }, cwd, warn);
    };
    const on = (event, handler) => api.on(event, handler, { timeoutMs: ${longestWait} });

    on('before_tool_call', async ({ toolName, toolCallId, params }, ctx) => {
      const { deny, ask, args } = await relay(
        'before_tool_call',
        { tool_call_id: toolCallId, tool_name: toolName, tool_input: params },
        ctx,
      );
      if (deny !== undefined) return { block: true, blockReason: deny };
      const changed = args === undefined ? {} : { params: args };
      if (ask === undefined) return changed;
      return {
        ...changed,
        requireApproval: {
          title: \`Allow \${toolName}?\`.slice(0, 80),
          description: ask.slice(0, 500),
          severity: 'warning',
          allowedDecisions: ['allow-once', 'deny'],
        },
      };
    });

    on('after_tool_call', async ({ toolName, toolCallId, params, result }, ctx) => {
      await relay(
        'after_tool_call',
        {
          tool_call_id: toolCallId,
          tool_name: toolName,
          tool_input: params,
          output: textOf(result?.content),
        },
        ctx,
      );
    });

    on('before_agent_run', async ({ prompt }, ctx) => {
      const { deny } = await relay('before_agent_run', { prompt }, ctx);
      if (deny !== undefined) return { outcome: 'block', reason: deny, message: deny };
    });

    on('before_agent_finalize', async ({ lastAssistantMessage, stopHookActive }, ctx) => {
      const { prompt } = await relay(
        'before_agent_finalize',
        { response: lastAssistantMessage ?? '', stop_hook_active: stopHookActive === true },
        ctx,
      );
      if (prompt !== undefined)
        return {
          action: 'revise',
          reason: prompt,
          retry: { instruction: prompt, maxAttempts: ${defaultMaxRejections} },
        };
    });

    on('session_start', async ({ resumedFrom }, ctx) => {
      await relay('session_start', { source: resumedFrom === undefined ? 'startup' : 'resume' }, ctx);
    });
    on('session_end', async (_event, ctx) => {
      await relay('session_end', { reason: 'other' }, ctx);
      folders.delete(ctx.sessionId);
    });
    on('before_compaction', async (_event, ctx) => {
      await relay('before_compaction', { trigger: 'auto' }, ctx);
    });
  },
};
`;
