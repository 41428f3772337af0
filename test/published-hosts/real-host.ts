import { join } from 'node:path';
import { liveAgents } from '../../src/workbench/doctor/live/agents.ts';
import type { WantedCall } from '../../src/workbench/doctor/live/model-server.ts';

/** A published host, and how it is run without a terminal. */
export interface RealHost {
  /** The name of its relay. */
  readonly name: string;
  readonly args: readonly string[];
  /** How its model asks for a shell command. */
  readonly shell: (command: string) => WantedCall;
  /** How its model asks for a file `.env`; absent if only a shell command could write it. */
  readonly write?: (path: string, content: string) => WantedCall;
  /** The user's files that let it run here, by their path in the home folder. */
  readonly files: (url: string, project: string) => Readonly<Record<string, unknown>>;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Why these cases cannot be tried with it. */
  readonly cannot?: Readonly<
    Partial<Record<'rewrite' | 'http' | 'context' | 'prompt' | 'promptContext' | 'live', string>>
  >;
  /** What it does if its HTTP hooks find no server; absent if it has no such hooks. */
  readonly unserved?: 'denies' | 'runs the tool';
  /** Whether it asks the user even if there is none, and waits. */
  readonly waitsForNobody?: true;
  /** An argument of the process that it leaves behind, which names the project too. */
  readonly leaves?: string;
  /** Where the relay is installed; default: in the project. */
  readonly scope?: 'user' | 'project';
}

const quiet = { privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } };

/**
 * A plugin folder as OpenCode leaves it: otherwise it would first install a package there, and wait half a
 * minute for the network.
 */
const plugged = (folder: string): Readonly<Record<string, unknown>> => ({
  [join(folder, 'node_modules', '.installed')]: '',
  [join(folder, 'package-lock.json')]: {
    packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
  },
});

/** A model on this machine, as OpenCode's settings name it. */
const localModel = (url: string): Readonly<Record<string, unknown>> => ({
  small_model: 'local/m',
  provider: {
    local: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'none' },
      models: { m: { tool_call: true } },
    },
  },
});

export const realHosts: readonly RealHost[] = [
  {
    name: 'claude-code',
    unserved: 'denies',
    args: ['-p', 'go', '--allowedTools', 'Bash', 'Write'],
    shell: liveAgents['claude-code']!.shell,
    write: (file_path, content) => ({ name: 'Write', args: { file_path, content } }),
    files: () => ({}),
    env: liveAgents['claude-code']!.env,
  },
  {
    name: 'gemini-cli',
    cannot: { http: 'Gemini CLI has no HTTP hooks' },
    waitsForNobody: true,
    args: ['-p', 'go', '--yolo', '-m', 'gemini-2.5-flash'],
    shell: liveAgents['gemini-cli']!.shell,
    files: () => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ...quiet,
      },
    }),
    env: liveAgents['gemini-cli']!.env,
  },
  {
    name: 'qwen-code',
    cannot: { rewrite: 'Qwen Code takes other arguments at PermissionRequest alone' },
    unserved: 'runs the tool',
    args: ['-p', 'go', '--yolo'],
    shell: liveAgents['qwen-code']!.shell,
    write: (file_path, content) => ({ name: 'write_file', args: { file_path, content } }),
    files: () => ({
      '.qwen/settings.json': { security: { auth: { selectedType: 'openai' } }, ...quiet },
    }),
    env: liveAgents['qwen-code']!.env,
  },
  {
    name: 'codex',
    cannot: { http: 'Codex has no HTTP hooks' },
    args: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      'go',
    ],
    shell: liveAgents['codex']!.shell,
    files: (url, project) => ({
      '.codex/config.toml': `model = "m"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`,
    }),
    env: () => ({ OPENAI_API_KEY: 'none' }),
  },
  {
    name: 'copilot',
    unserved: 'denies',
    args: ['-p', 'go', '--allow-all-tools', '--trust-folder'],
    shell: liveAgents['copilot']!.shell,
    write: (path, file_text) => ({ name: 'create', args: { path, file_text } }),
    files: () => ({}),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: 'm',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOOK_ALLOW_LOCALHOST: '1',
    }),
  },
  {
    name: 'opencode',
    cannot: { http: 'OpenCode has no HTTP hooks' },
    args: ['run', 'go', '--model', 'local/m', '--auto'],
    shell: liveAgents['opencode']!.shell,
    write: (filePath, content) => ({ name: 'write', args: { filePath, content } }),
    files: (url, project) => ({
      ...plugged('.config/opencode'),
      ...plugged(join(project, '.opencode')),
      '.config/opencode/opencode.json': {
        autoupdate: false,
        share: 'disabled',
        ...localModel(url),
      },
    }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  },
  {
    name: 'kilo',
    cannot: { http: 'Kilo has no HTTP hooks' },
    args: ['run', 'go', '--model', 'local/m', '--auto'],
    shell: liveAgents['kilo']!.shell,
    write: (filePath, content) => ({ name: 'write', args: { filePath, content } }),
    files: (_, project) => ({ ...plugged('.config/kilo'), ...plugged(join(project, '.kilo')) }),
    env: (url) => ({
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_TELEMETRY_LEVEL: 'off',
      KILO_CONFIG_CONTENT: JSON.stringify(localModel(url)),
    }),
  },
  {
    name: 'kimi',
    cannot: {
      http: 'Kimi Code has no HTTP hooks',
      rewrite: 'Kimi Code takes no other arguments from hooks',
      context: 'Kimi Code takes no context from hooks after a tool',
    },
    args: ['-p', 'go'],
    shell: liveAgents['kimi']!.shell,
    files: () => ({}),
    env: liveAgents['kimi']!.env,
  },
  {
    name: 'pi',
    cannot: { http: 'Pi has no HTTP hooks' },
    args: ['-p', 'go', '--model', 'hookmachine/m', '--approve', '--offline'],
    shell: liveAgents['pi']!.shell,
    write: (path, content) => ({ name: 'write', args: { path, content } }),
    files: () => ({}),
    env: liveAgents['pi']!.env,
  },
  {
    name: 'cline',
    cannot: {
      http: 'Cline has no HTTP hooks',
      prompt: 'Cline on the command line gives no prompt to hooks',
      live: 'Cline takes no other model by arguments alone',
    },
    args: ['-P', 'openai-compatible', '-m', 'm', 'please go'],
    shell: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
    write: (path, new_text) => ({ name: 'editor', args: { path, new_text } }),
    files: (url) => ({
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: 'none',
              model: 'm',
              baseUrl: `${url}/v1`,
            },
            updatedAt: '2026-11-24T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
    }),
    env: () => ({}),
    leaves: '--cline-hub-daemon',
  },
  {
    name: 'openclaw',
    cannot: {
      http: 'OpenClaw has no HTTP hooks',
      context: 'OpenClaw takes nothing from hooks after a tool',
      promptContext: 'OpenClaw takes no context for a prompt from this hook',
      live: 'OpenClaw takes no other model by arguments alone',
    },
    args: ['agent', '--local', '--agent', 'main', '--message', 'please go'],
    shell: (command) => ({ name: 'exec', args: { command } }),
    write: (path, content) => ({ name: 'write', args: { path, content } }),
    files: (url, workspace) => ({
      '.openclaw/openclaw.json': {
        models: {
          providers: {
            local: {
              baseUrl: `${url}/v1`,
              apiKey: 'none',
              api: 'openai-completions',
              models: [{ id: 'm', name: 'm', contextWindow: 100_000, maxTokens: 4_000 }],
            },
          },
        },
        agents: { defaults: { model: { primary: 'local/m' }, skipBootstrap: true, workspace } },
        plugins: {
          entries: { hookmachine: { enabled: true, hooks: { allowConversationAccess: true } } },
        },
      },
    }),
    env: () => ({}),
    scope: 'user',
  },
];
