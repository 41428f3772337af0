import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookSystemConfig } from '../../src/hosts/system/hook-system-config.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import type { HookEventName, LifecycleEvent } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { Settings } from '../../src/settings/format/json-schema.ts';
import { type Files, firing } from './again.ts';
import { tempFolder } from './temp-folder.ts';

type Hooks = NonNullable<Settings['hooks']>;
type Group = NonNullable<Hooks['BeforeTool']>[number];

/** A command, optionally with its own name, timeout or failure policy. */
export type HookCommand =
  | string
  | { command: string; name?: string; timeout?: number; onFailure?: 'allow' | 'block' };

/** A group of commands. */
export const group = (
  commands: readonly HookCommand[],
  options: Omit<Group, 'hooks'> = {},
): Group => ({
  ...options,
  hooks: commands.map((hook) => ({
    type: 'command' as const,
    ...(typeof hook === 'string' ? { command: hook } : hook),
  })),
});

export const inParallel = (...commands: HookCommand[]): Group[] => [group(commands)];
export const inSequence = (...commands: HookCommand[]): Group[] => [
  group(commands, { sequential: true }),
];

/** A shell command that prints a value as JSON. */
export const print = (value: unknown): string => `printf '%s' ${quoted(JSON.stringify(value))}`;

/** A text as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Session {
  readonly folder: string;
  readonly config: HookSystemConfig;
  readonly warnings: readonly string[];
  fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options?: FireOptions,
  ): Promise<AggregatedHookResult>;
}

/** A hook system with these hooks, in a folder of the running test's own. */
export async function startSession(
  hooks: Hooks,
  options: Partial<CreateConfigOptions> = {},
): Promise<Session> {
  const warnings: string[] = [];
  const folder = options.cwd ?? tempFolder();
  const config = createConfig({
    settings: { tools: { enableHooks: true }, hooks },
    onWarning: (line) => warnings.push(line),
    ...options,
    cwd: folder,
  });
  const system = config.getHookSystem()!;
  await system.initialize();
  return {
    folder,
    config,
    warnings,
    fire: firing(system, folder, asFile(hooks)),
  };
}

/** The file in which a user would write these hooks: LLxprt's knows one type of hook. */
function asFile(hooks: Hooks): Files {
  const isOurs = /"type":"(?!command")/.test(JSON.stringify(hooks));
  const folder = isOurs ? '.hookmachine' : '.llxprt';
  return { [`${folder}/settings.json`]: { tools: { enableHooks: true }, hooks } };
}

/** The fields of each event, for tests that do not care about them. */
export const someFields: { readonly [Event in LifecycleEvent]: HookEventFields[Event] } = {
  BeforeTool: { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'text' } },
  AfterTool: {
    tool_name: 'write_file',
    tool_input: { file_path: 'a.txt', content: 'text' },
    tool_response: { llmContent: 'written', returnDisplay: 'written' },
  },
  BeforeModel: {
    llm_request: { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }], config: {} },
  },
  AfterModel: {
    llm_request: { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }] },
    llm_response: {
      text: 'Hello',
      candidates: [{ content: { role: 'model', parts: ['Hello'] }, finishReason: 'STOP' }],
    },
  },
  BeforeToolSelection: {
    llm_request: { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }] },
  },
  BeforeAgent: { prompt: 'Hi' },
  AfterAgent: { prompt: 'Hi', prompt_response: 'Hello', stop_hook_active: false },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'manual' },
  Notification: { notification_type: 'ToolPermission', message: 'May I?', details: {} },
};
