import { onTestFinished } from 'vitest';
import { startGateway, type GatewayOptions } from '../../src/adapters/gateway/gateway.ts';
import { budgetOf } from '../../src/guards/budget/define-budget.ts';
import type { UsageEntry } from '../../src/guards/budget/ledger.ts';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import type { ProviderFormat, Provider } from './provider.ts';
import { sandbox } from './sandbox.ts';

/** A gateway in this process, until the test ends. */
export async function gatewayTo(
  provider: Provider,
  settings: object = {},
  {
    files = {},
    ...options
  }: Partial<GatewayOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
) {
  const box = sandbox();
  box.write(box.own.project, settings);
  for (const [name, content] of Object.entries(files)) box.write(`project/${name}`, content);
  const warnings: string[] = [];
  const used: UsageEntry[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    isTrustedFolder: () => true,
    dialects: presentDialects,
    onWarning: (line) => void warnings.push(line),
  });
  const gateway = await startGateway({
    config,
    token: 'token',
    upstreams: { anthropic: provider.url, openai: provider.url, gemini: provider.url },
    hidesSecrets: () => false,
    budget: () => budgetOf(config.getHookSources?.() ?? []),
    warn: (line) => warnings.push(line),
    onUsage: (entry) => used.push(entry),
    ...options,
  });
  onTestFinished(async () => {
    await gateway.close();
    config.getHookSystem()?.dispose();
  });
  return {
    ...box,
    url: gateway.url,
    warnings,
    used,
    /** Asks the model through the gateway, as an agent does. */
    ask: async (
      format: ProviderFormat,
      text: string,
      more: Parameters<ProviderFormat['body']>[1] & {
        readonly headers?: Record<string, string>;
      } = {},
    ) => {
      const { stream = false, headers = {} } = more;
      const response = await fetch(`${gateway.url}/${format.name}${format.path(stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer k', ...headers },
        body: JSON.stringify(format.body(text, more)),
      });
      const answer = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        answer,
        read: () => format.read(answer, stream),
      };
    },
  };
}
