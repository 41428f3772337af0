import type { IncomingHttpHeaders } from 'node:http';
import { environment } from '../../base/surroundings.ts';
import { isGateway } from '../../hosts/install/gateway-address.ts';

/** The providers' addresses by the name under which the gateway has them. */
export type Upstreams = Readonly<Record<string, string>>;

/** The providers, the variable with which agents' users name another address, and the usual one. */
export const providers = {
  anthropic: { variable: 'ANTHROPIC_BASE_URL', url: 'https://api.anthropic.com' },
  openai: { variable: 'OPENAI_BASE_URL', url: 'https://api.openai.com/v1' },
  gemini: {
    variable: 'GOOGLE_GEMINI_BASE_URL',
    url: 'https://generativelanguage.googleapis.com',
  },
} as const;

/** Where ChatGPT's subscribers are served: their requests name an account. */
const chatGpt = 'https://chatgpt.com/backend-api/codex';

/** The addresses to which requests go: those that are given or that the user's environment names, or else the usual ones. */
export const upstreamsHere = (given: Upstreams = {}, usual: Upstreams = {}): Upstreams => ({
  ...Object.fromEntries(
    Object.entries(providers).map(([name, { variable, url }]) => [
      name,
      addressIn(environment()[variable]) ?? usual[name] ?? url,
    ]),
  ),
  ...given,
});

/** An address of the environment; not that of a gateway, which would ask itself, or count calls twice. */
const addressIn = (url: string | undefined): string | undefined =>
  url === undefined || url === '' || isGateway(url) ? undefined : url;

/** The address of a request: the provider's own, with what follows its name in ours. */
export function addressOf(
  upstreams: Upstreams,
  name: string,
  rest: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (!Object.hasOwn(upstreams, name)) return undefined;
  const isSubscriber =
    headers['chatgpt-account-id'] !== undefined && upstreams[name] === providers.openai.url;
  const base = isSubscriber ? chatGpt : upstreams[name]!;
  return `${base.replace(/\/+$/, '')}${rest}`;
}
