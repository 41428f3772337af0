import { isRecord } from '../../base/json.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import { fireEvent } from '../parts/fire-event.ts';
import { type AdapterOptions, configOf, isOwn, refuseDurable } from '../parts/options.ts';
import { applySettings, beginModelCall } from './model-call.ts';
import { messagesOf, type Plugin, quietly, report, Session } from './session.ts';
import { fail, finish, judge } from './tools.ts';
import { beginTurn, endTurn } from './turn.ts';
import type {
  BusEvent,
  ChatParams,
  Entry,
  Part,
  PluginInput,
  ToolCall,
  ToolOutput,
} from './types.ts';

/** Agents that OpenCode itself asks, outside the conversation. */
const unseenAgents: ReadonlySet<string> = new Set(['title', 'summary']);

/** The callbacks that OpenCode is given. */
export interface HookmachineCallbacks {
  event(given: { event: BusEvent }): Promise<void>;
  dispose(): Promise<void>;
  'chat.message'(
    about: { sessionID: string; agent?: string },
    output: { parts: Part[] },
  ): Promise<void>;
  'chat.params'(about: { sessionID: string; agent: string }, output: ChatParams): Promise<void>;
  'tool.definition'(about: { toolID: string }, output: unknown): Promise<void>;
  'tool.execute.before'(call: ToolCall, output: { args: unknown }): Promise<void>;
  'tool.execute.after'(call: ToolCall, output: ToolOutput): Promise<void>;
  'experimental.chat.messages.transform'(
    about: object,
    output: { messages: Entry[] },
  ): Promise<void>;
  'experimental.chat.system.transform'(
    about: { sessionID?: string },
    output: { system: string[] },
  ): Promise<void>;
  'experimental.text.complete'(
    about: { sessionID: string; messageID: string },
    output: { text: string },
  ): Promise<void>;
  'experimental.session.compacting'(
    about: { sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
}

/**
 * Puts hooks around OpenCode's agent, as an OpenCode plugin. If neither `isTrustedFolder` nor `checkTrust` is
 * given, the user has decided that OpenCode's project is trusted, and its hooks run.
 *
 * @example
 * // .opencode/plugin/hooks.js
 * export { HookmachinePlugin } from 'hookmachine/opencode';
 */
export async function HookmachinePlugin(
  { client, directory }: PluginInput,
  given: AdapterOptions | Readonly<Record<string, unknown>> = {},
): Promise<HookmachineCallbacks> {
  const options: AdapterOptions = {
    cwd: directory,
    // The screen belongs to OpenCode.
    onWarning: (message) =>
      void quietly(client.app.log({ body: { service: 'hookmachine', level: 'warn', message } })),
    ...given,
  };
  refuseDurable(options, 'OpenCode');
  const config = configOf(options, 'opencode');
  const plugin: Plugin = { config, options, client, tools: new Set() };
  const sessions = new Map<string, Promise<Session>>();
  const sessionOf = (id: string): Promise<Session> => {
    const known = sessions.get(id) ?? findSession(plugin, id);
    sessions.set(id, known);
    return known;
  };
  /** Turns that are ending; OpenCode does not wait for them before it disposes of the plugin. */
  const endings = new Set<Promise<void>>();
  const end = async (id: string, reason: HookEventFields['SessionEnd']['reason']) => {
    const session = await sessions.get(id);
    sessions.delete(id);
    session?.cancel('the session ended');
    if (!session?.hasBegun || session.isSubagent) return;
    const about = { sessionId: id, subject: reason };
    report(plugin, await fireEvent(config, 'SessionEnd', { reason }, about));
  };
  return {
    async event({ event: { type, properties } }) {
      const { info, part } = properties;
      switch (type) {
        case 'session.idle': {
          const session = await sessions.get(String(properties['sessionID']));
          if (!session) return;
          const ending = endTurn(plugin, session).finally(() => endings.delete(ending));
          endings.add(ending);
          await ending;
          return;
        }
        case 'session.deleted':
          if (isRecord(info)) await end(String(info['id']), 'clear');
          return;
        case 'session.compacted': {
          const session = await sessionOf(String(properties['sessionID']));
          const about = { ...session.context, subject: 'auto' };
          report(plugin, await fireEvent(config, 'PostCompress', { trigger: 'auto' }, about));
          return;
        }
        case 'message.part.updated': {
          if (!isRecord(part) || part['type'] !== 'tool') return;
          const session = await sessions.get(String(part['sessionID']));
          if (session) await fail(plugin, session, part);
          return;
        }
        case 'permission.asked': {
          const session = await sessionOf(String(properties['sessionID']));
          const notification_type = 'ToolPermission';
          const fields = {
            notification_type,
            message: `OpenCode asks for permission: ${String(properties['permission'])}`,
            details: properties,
          };
          const about = { ...session.context, subject: notification_type };
          report(plugin, await fireEvent(config, 'Notification', fields, about));
        }
      }
    },
    async dispose() {
      await Promise.allSettled(endings);
      for (const id of sessions.keys()) await end(id, 'exit');
      if (isOwn(options)) config.getHookSystem()?.dispose();
    },
    async 'chat.message'({ sessionID, agent }, { parts }) {
      const session = await sessionOf(sessionID);
      session.agent = agent ?? session.agent;
      await beginTurn(plugin, session, parts);
    },
    async 'chat.params'({ sessionID, agent }, output) {
      const { model } = await sessionOf(sessionID);
      if (model && !unseenAgents.has(agent)) applySettings(model, output);
    },
    async 'tool.definition'({ toolID }) {
      plugin.tools.add(toolID);
    },
    async 'tool.execute.before'(call, output) {
      await judge(plugin, await sessionOf(call.sessionID), call, output);
    },
    async 'tool.execute.after'({ sessionID, callID }, output) {
      await finish(plugin, await sessionOf(sessionID), callID, output);
    },
    async 'experimental.chat.messages.transform'(_, { messages }) {
      const id = messages.at(-1)?.info.sessionID;
      if (id !== undefined) await beginModelCall(plugin, await sessionOf(id), messages);
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID === undefined) return;
      const added = (await sessionOf(sessionID)).model?.request?.system;
      if (added !== undefined) system.push(added);
    },
    async 'experimental.text.complete'({ sessionID, messageID }, output) {
      const session = await sessionOf(sessionID);
      if (session.model) output.text = await session.model.text(output.text);
      session.said(messageID, output.text);
    },
    async 'experimental.session.compacting'({ sessionID }, { context }) {
      const session = await sessionOf(sessionID);
      const about = { ...session.context, subject: 'auto' };
      const result = await fireEvent(config, 'PreCompress', { trigger: 'auto' }, about);
      report(plugin, result);
      const added = result?.verdict.context;
      if (added !== undefined) context.push(added);
    },
  };
}

/** Makes a session that we see for the first time. */
async function findSession(plugin: Plugin, id: string): Promise<Session> {
  const found = await quietly(plugin.client.session.get({ path: { id } }));
  const before = await messagesOf(plugin, id);
  return new Session(plugin, id, {
    isSubagent: found?.data?.parentID !== undefined,
    source: before.length > 0 ? 'resume' : 'startup',
  });
}
