import { chmodSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatEvent } from '../../src/agent/loop/chat-events.ts';
import { ChatLoop, type ChatLoopOptions } from '../../src/agent/loop/chat-loop.ts';
import { builtInTools } from '../../src/agent/tools/index.ts';
import type { HookSystemConfig } from '../../src/hosts/system/hook-system-config.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { modelFromTurns, type ScriptedTurn } from '../../src/agent/models/scripted.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { GenAIContent, GenAIRequest } from '../../src/core/translate/genai-types.ts';
import { all } from '../support/chat.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const fixtures = fileURLToPath(new URL('../fixtures/recipes', import.meta.url));

/** A project with the hooks of the recipes, and what can be done in it. */
export interface Recipe extends Sandbox {
  /** Writes a file of the project; one that begins with `#!` is made executable. */
  readonly put: (file: string, content: string) => void;
  readonly has: (file: string) => boolean;
  readonly read: (file: string) => string;
  /** Creates a session with a model that takes these turns. */
  readonly session: (turns?: readonly ScriptedTurn[], options?: SessionOptions) => RecipeSession;
  /** Runs a session in which the model calls one tool and ends. */
  readonly call: (
    name: string,
    args: Record<string, unknown>,
    options?: SessionOptions,
  ) => Promise<OneCall>;
}

export interface SessionOptions extends Partial<Omit<ChatLoopOptions, 'config'>> {
  readonly config?: Partial<CreateConfigOptions>;
}

/** A request of the chat loop, which sends its contents as messages. */
type SentRequest = GenAIRequest & { readonly contents: readonly GenAIContent[] };

export interface RecipeSession {
  readonly config: HookSystemConfig;
  readonly chat: ChatLoop;
  /** What the model was sent. */
  readonly requests: readonly SentRequest[];
  readonly warnings: readonly string[];
  /** Runs a turn to its end. */
  readonly run: (prompt?: string) => Promise<ChatEvent[]>;
  readonly fire: <Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
  ) => Promise<AggregatedHookResult>;
}

/** What the user and the model saw of one tool call. */
export interface OneCall extends RecipeSession {
  readonly events: readonly ChatEvent[];
  readonly status: string | undefined;
  readonly userSees: string | null | undefined;
  /** The result of the tool call in the conversation. */
  readonly modelReads: string;
}

/**
 * Returns a project whose settings are this fixture or this text, in a folder of the sandbox's project
 * if one is given.
 */
export function recipe(
  settings: { readonly fixture: string } | { readonly text: string },
  folder = '.',
): Recipe {
  const box = sandbox();
  const project = join(box.project, folder);
  const at = (file: string): string => join(project, file);
  cpSync(join(fixtures, 'hooks'), at('.llxprt/hooks'), { recursive: true });
  if ('text' in settings) box.write(at('.llxprt/settings.json'), settings.text);
  else cpSync(join(fixtures, 'settings', `${settings.fixture}.json`), at('.llxprt/settings.json'));

  const session: Recipe['session'] = (turns = [], { config: configuring, ...options } = {}) => {
    const warnings: string[] = [];
    const requests: SentRequest[] = [];
    const config = createConfig({
      isTrustedFolder: () => true,
      cwd: project,
      onWarning: (line) => warnings.push(line),
      ...configuring,
    });
    const scripted = modelFromTurns(turns);
    const chat = new ChatLoop({
      config,
      model: {
        name: scripted.name,
        generate(request, generating) {
          requests.push(structuredClone(request) as SentRequest);
          return scripted.generate(request, generating);
        },
      },
      tools: builtInTools(),
      ...options,
    });
    return {
      config,
      chat,
      requests,
      warnings,
      run: (prompt = 'Go on.') => all(chat.run(prompt)),
      async fire(event, fields) {
        const system = config.getHookSystem()!;
        await system.initialize();
        return system.getEventHandler().fire(event, fields);
      },
    };
  };

  return {
    ...box,
    project,
    put(file, content) {
      box.write(at(file), content);
      if (content.startsWith('#!')) chmodSync(at(file), 0o755);
    },
    has: (file) => existsSync(at(file)),
    read: (file) => readFileSync(at(file), 'utf8'),
    session,
    async call(name, args, options) {
      const one = session([{ calls: [{ name, args }] }, { text: 'Done.' }], options);
      const events = await one.run();
      const ended = events.find((event) => event.type === 'toolResult');
      return {
        ...one,
        events,
        status: ended?.status,
        userSees: ended?.display,
        modelReads: toolResults(one.chat.history).join('\n'),
      };
    },
  };
}

/** Returns settings as the documents print them: one switch at the top, hooks by event, comments. */
export const switchedOn = (hooks: object, more: object = {}): { text: string } => ({
  text: `// Hooks of a test.\n${JSON.stringify({ enableHooks: true, hooks, ...more }, null, 2)}\n`,
});

/** Returns the results of tool calls that the model reads. */
export const toolResults = (contents: readonly GenAIContent[]): string[] =>
  contents.flatMap(({ parts = [] }) =>
    parts.flatMap(({ functionResponse }) => {
      const { output, error } = functionResponse?.response ?? {};
      return functionResponse ? [String(output ?? error)] : [];
    }),
  );

/** Returns the names of the hooks that ran for an event, in plan order. */
export const ranFor = (events: readonly ChatEvent[], event: HookEventName): string[] =>
  events.flatMap((emitted) =>
    emitted.type === 'hookDecision' && emitted.event === event
      ? emitted.hooks.map(({ name }) => name)
      : [],
  );

/** Returns how each tool call ended, in the order in which the calls were made. */
export const statuses = (events: readonly ChatEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'toolResult' ? [event.status] : []));

/** A call of `write_file`. */
export const writing = (file_path: string, content = 'x') => ({
  name: 'write_file',
  args: { file_path, content },
});
