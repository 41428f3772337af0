import type { WantedCall } from './model-server.ts';

/** How an agent is run without a person, as its user has set it up, but with a model of ours. */
export interface LiveAgent {
  readonly args: (url: string) => readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** How its model asks for a shell command. */
  readonly shell: (command: string) => WantedCall;
}

const description = 'Work';
const key = 'HOOKMACHINE_CANARY_KEY';

/** OpenCode, or an agent that is made from it and has its variables under another name. */
function likeOpenCode(variables: string): LiveAgent {
  return {
    args: () => ['run', 'go', '--model', 'hookmachine/m', '--auto'],
    env: (url) => ({
      [`${variables}_DISABLE_MODELS_FETCH`]: '1',
      [`${variables}_CONFIG_CONTENT`]: JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        small_model: 'hookmachine/m',
        provider: {
          hookmachine: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { m: { tool_call: true } },
          },
        },
      }),
    }),
    shell: (command) => ({ name: 'bash', args: { command, description } }),
  };
}

/** The agents that can be run so, by the names of their relays. */
export const liveAgents: Readonly<Record<string, LiveAgent>> = {
  'claude-code': {
    args: () => ['-p', 'go', '--allowedTools', 'Bash'],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    shell: (command) => ({ name: 'Bash', args: { command, description } }),
  },
  'gemini-cli': {
    args: () => ['-p', 'go', '--yolo', '-m', 'gemini-2.5-flash'],
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }),
    shell: (command) => ({ name: 'run_shell_command', args: { command, description } }),
  },
  'qwen-code': {
    args: () => ['-p', 'go', '--yolo', '--auth-type', 'openai'],
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'm' }),
    shell: (command) => ({ name: 'run_shell_command', args: { command, is_background: false } }),
  },
  codex: {
    // Without --dangerously-bypass-hook-trust: whether it trusts the hooks is to be found out.
    args: (url) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-c',
      'model="m"',
      '-c',
      'model_provider="hookmachine"',
      '-c',
      `model_providers.hookmachine={name="hookmachine",base_url="${url}/v1",wire_api="responses",env_key="${key}"}`,
      'go',
    ],
    env: () => ({ [key]: 'none' }),
    shell: (cmd) => ({ name: 'exec_command', args: { cmd } }),
  },
  copilot: {
    args: () => ['-p', 'go', '--allow-all-tools'],
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: 'm',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    shell: (command) => ({ name: 'bash', args: { command, description } }),
  },
  opencode: likeOpenCode('OPENCODE'),
  kilo: likeOpenCode('KILO'),
  kimi: {
    args: () => ['-p', 'go'],
    env: (url) => ({
      KIMI_MODEL_NAME: 'm',
      KIMI_MODEL_PROVIDER_TYPE: 'openai',
      KIMI_MODEL_BASE_URL: `${url}/v1`,
      KIMI_MODEL_API_KEY: 'none',
      KIMI_MODEL_MAX_CONTEXT_SIZE: '100000',
      KIMI_CODE_NO_AUTO_UPDATE: '1',
      KIMI_CODE_MODEL_CATALOG_REFRESH_ON_START: '0',
      KIMI_DISABLE_TELEMETRY: '1',
    }),
    shell: (command) => ({ name: 'Bash', args: { command, description } }),
  },
  pi: {
    args: () => ['-p', 'go', '--model', 'hookmachine/m', '--offline', '--no-session'],
    env: (url) => ({ HOOKMACHINE_CANARY_MODEL: `${url}/v1`, PI_TELEMETRY: '0' }),
    shell: (command) => ({ name: 'bash', args: { command } }),
  },
};
