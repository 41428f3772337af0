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
  return callbacksOf(plugin, new Sessions(plugin));
}

/** The sessions that have been seen, and the turns that are ending. */
class Sessions {
  readonly #plugin: Plugin;
  readonly #sessions = new Map<string, Promise<Session>>();
  /** OpenCode does not wait for these before it disposes of the plugin. */
  readonly #endings = new Set<Promise<void>>();

  constructor(plugin: Plugin) {
    this.#plugin = plugin;
  }

  /** The session with this id, which may be new. */
  open(id: string): Promise<Session> {
    const known = this.#sessions.get(id) ?? findSession(this.#plugin, id);
    this.#sessions.set(id, known);
    return known;
  }

  /** The session with this id, if it has been seen. */
  known(id: string): Promise<Session> | undefined {
    return this.#sessions.get(id);
  }

  async endTurn(id: string): Promise<void> {
    const session = await this.#sessions.get(id);
    if (!session) return;
    const ending = endTurn(this.#plugin, session).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    await ending;
  }

  async end(id: string, reason: HookEventFields['SessionEnd']['reason']): Promise<void> {
    const session = await this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.cancel('the session ended');
    if (!session?.hasBegun || session.isSubagent) return;
    const about = { sessionId: id, subject: reason };
    report(this.#plugin, await fireEvent(this.#plugin.config, 'SessionEnd', { reason }, about));
  }

  async endAll(): Promise<void> {
    await Promise.allSettled(this.#endings);
    for (const id of this.#sessions.keys()) await this.end(id, 'exit');
  }
}

/** Takes an event of OpenCode's bus. */
async function takeBusEvent(
  plugin: Plugin,
  sessions: Sessions,
  { type, properties }: BusEvent,
): Promise<void> {
  const { config } = plugin;
  const { info, part } = properties;
  switch (type) {
    case 'session.idle':
      return sessions.endTurn(String(properties['sessionID']));
    case 'session.deleted':
      if (isRecord(info)) await sessions.end(String(info['id']), 'clear');
      return;
    case 'session.compacted': {
      const session = await sessions.open(String(properties['sessionID']));
      const about = { ...session.context, subject: 'auto' };
      report(plugin, await fireEvent(config, 'PostCompress', { trigger: 'auto' }, about));
      return;
    }
    case 'message.part.updated': {
      if (!isRecord(part) || part['type'] !== 'tool') return;
      const session = await sessions.known(String(part['sessionID']));
      if (session) await fail(plugin, session, part);
      return;
    }
    case 'permission.asked': {
      const session = await sessions.open(String(properties['sessionID']));
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
}

/** What OpenCode calls. */
function callbacksOf(plugin: Plugin, sessions: Sessions): HookmachineCallbacks {
  const { config, options } = plugin;
  return {
    event: ({ event }) => takeBusEvent(plugin, sessions, event),
    async dispose() {
      await sessions.endAll();
      if (isOwn(options)) config.getHookSystem()?.dispose();
    },
    async 'chat.message'({ sessionID, agent }, { parts }) {
      const session = await sessions.open(sessionID);
      session.agent = agent ?? session.agent;
      await beginTurn(plugin, session, parts);
    },
    async 'chat.params'({ sessionID, agent }, output) {
      const { model } = await sessions.open(sessionID);
      if (model && !unseenAgents.has(agent)) applySettings(model, output);
    },
    async 'tool.definition'({ toolID }) {
      plugin.tools.add(toolID);
    },
    async 'tool.execute.before'(call, output) {
      await judge(plugin, await sessions.open(call.sessionID), call, output);
    },
    async 'tool.execute.after'({ sessionID, callID }, output) {
      await finish(plugin, await sessions.open(sessionID), callID, output);
    },
    async 'experimental.chat.messages.transform'(_, { messages }) {
      const id = messages.at(-1)?.info.sessionID;
      if (id !== undefined) await beginModelCall(plugin, await sessions.open(id), messages);
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID === undefined) return;
      const added = (await sessions.open(sessionID)).model?.request?.system;
      if (added !== undefined) system.push(added);
    },
    async 'experimental.text.complete'({ sessionID, messageID }, output) {
      const session = await sessions.open(sessionID);
      if (session.model) output.text = await session.model.text(output.text);
      session.said(messageID, output.text);
    },
    async 'experimental.session.compacting'({ sessionID }, { context }) {
      const session = await sessions.open(sessionID);
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
