import { providers } from './upstreams.ts';

/** How an agent is told to ask the gateway. */
export interface GatewayAgent {
  /** The name of its dialect, whose hooks it runs itself. */
  readonly dialect?: string;
  /** Arguments that come before the user's own. */
  readonly args?: (base: string) => readonly string[];
  /** Variables besides those that name providers' addresses. */
  readonly env?: (base: string) => Readonly<Record<string, string>>;
}

const configOf = (base: string): string =>
  JSON.stringify({
    provider: Object.fromEntries(
      [
        ['anthropic', 'anthropic/v1'],
        ['openai', 'openai'],
        ['google', 'gemini/v1beta'],
      ].map(([name, path]) => [name, { options: { baseURL: `${base}/${path}` } }]),
    ),
  });

/** The agents that are known here, by the names of their programs. */
const agents: Readonly<Record<string, GatewayAgent>> = {
  claude: { dialect: 'claude-code' },
  codex: {
    dialect: 'codex',
    args: (base) => ['-c', `openai_base_url=${JSON.stringify(`${base}/openai`)}`],
  },
  gemini: { dialect: 'gemini-cli' },
  qwen: { dialect: 'qwen-code' },
  copilot: {
    dialect: 'copilot',
    env: (base) => ({ COPILOT_PROVIDER_BASE_URL: `${base}/openai` }),
  },
  opencode: { env: (base) => ({ OPENCODE_CONFIG_CONTENT: configOf(base) }) },
  kilo: { env: (base) => ({ KILO_CONFIG_CONTENT: configOf(base) }) },
  kimi: { dialect: 'kimi', env: (base) => ({ KIMI_MODEL_BASE_URL: `${base}/openai` }) },
};

/** The agent that a program is; undefined if it is not known. */
export const agentOf = (program: string): GatewayAgent | undefined =>
  agents[program.split('/').at(-1) ?? ''];

/** The variables that make an agent ask the gateway. */
export const gatewayVariables = (
  base: string,
  agent: GatewayAgent | undefined,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(providers).map(([name, { variable }]) => [variable, `${base}/${name}`]),
  ),
  ...agent?.env?.(base),
});
