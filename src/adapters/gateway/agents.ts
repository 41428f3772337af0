import { environment } from '../../base/surroundings.ts';
import { providers, type Upstreams } from './upstreams.ts';

/** How an agent is told to ask the gateway. */
export interface GatewayAgent {
  /** The name of its dialect, whose hooks it runs itself. */
  readonly dialect?: string;
  /** Arguments that come before the user's own. */
  readonly args?: (base: string) => readonly string[];
  /** Variables besides those that name providers' addresses. */
  readonly env?: (base: string) => Readonly<Record<string, string>>;
  /** A variable of its own with which its user names a provider. */
  readonly variable?: string;
  /** What does not pass through the gateway unless its user set that variable. */
  readonly unless?: string;
}

/** Settings for agents that are made from OpenCode. */
const configOf = (base: string): string =>
  JSON.stringify({
    provider: {
      anthropic: { options: { baseURL: `${base}/anthropic/v1` } },
      openai: { options: { baseURL: `${base}/openai` } },
      google: { options: { baseURL: `${base}/gemini/v1beta` } },
    },
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
    variable: 'COPILOT_PROVIDER_BASE_URL',
    unless: "the models of GitHub's subscription",
  },
  opencode: { env: (base) => ({ OPENCODE_CONFIG_CONTENT: configOf(base) }) },
  kilo: { env: (base) => ({ KILO_CONFIG_CONTENT: configOf(base) }) },
  kimi: { dialect: 'kimi', variable: 'KIMI_MODEL_BASE_URL', unless: "Kimi's own models" },
};

/** The agent that a program is; undefined if it is not known. */
export const agentOf = (program: string): GatewayAgent | undefined =>
  agents[program.split('/').at(-1) ?? ''];

/** The provider that an agent's user named with a variable of the agent's own. */
export function ownUpstream(agent: GatewayAgent | undefined): Upstreams {
  const url = agent?.variable === undefined ? undefined : environment()[agent.variable];
  return url ? { own: url } : {};
}

/** What of an agent does not pass through the gateway, and how it would; undefined if all does. */
export const missedOf = ({ variable, unless }: GatewayAgent): string | undefined =>
  variable === undefined || environment()[variable]
    ? undefined
    : `${unless} do not pass through the gateway: it sees this agent's model calls only where ${variable} names a provider`;

/** The variables that make an agent ask the gateway. */
export const gatewayVariables = (
  base: string,
  agent: GatewayAgent | undefined,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(providers).map(([name, { variable }]) => [variable, `${base}/${name}`]),
  ),
  ...agent?.env?.(base),
  ...(agent?.variable !== undefined &&
    environment()[agent.variable] && { [agent.variable]: `${base}/own` }),
});
