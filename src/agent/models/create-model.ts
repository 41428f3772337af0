import { ModelError } from './model-error.ts';
import type { Model } from '../../core/translate/model.ts';
import type { Provider } from './providers/provider.ts';
import { inTable } from '../../base/json.ts';

export interface CreateModelOptions {
  /** The address of the model's server, for providers that need one. */
  readonly baseUrl?: string;
  /** The environment in which API keys are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates the model that a text such as `scripted:session.yaml` names. If a key, a package or an
 * address is missing, it throws a one-line `ModelError` that says how to fix it. A script's path is
 * relative to the process's folder.
 *
 * @example
 * const model = await createModel('openai-compatible:qwen3', { baseUrl: 'http://localhost:11434/v1' });
 */
export async function createModel(spec: string, options: CreateModelOptions = {}): Promise<Model> {
  const colon = spec.indexOf(':');
  const [kind, name] = colon === -1 ? [spec, ''] : [spec.slice(0, colon), spec.slice(colon + 1)];
  const load = inTable(providers, kind);
  if (load === undefined)
    throw new ModelError(`${JSON.stringify(spec)} is not a known model; use ${forms}`);
  if (name.trim() === '')
    throw new ModelError(`${JSON.stringify(spec)} has no name after the colon; use ${forms}`);
  const provider = await load();
  return provider({
    spec,
    name,
    env: options.env ?? process.env,
    ...(options.baseUrl !== undefined && { baseUrl: checkUrl(options.baseUrl) }),
  });
}

const forms =
  'scripted:FILE, openai-compatible:NAME with a base URL, google:NAME or anthropic:NAME';

/** Each provider has its own module, so that only the one in use is loaded. */
const providers: Readonly<Record<string, () => Promise<Provider>>> = {
  scripted: async () => (await import('./providers/scripted.ts')).scripted,
  'openai-compatible': async () =>
    (await import('./providers/openai-compatible.ts')).openAICompatible,
  google: async () => (await import('./providers/google.ts')).google,
  anthropic: async () => (await import('./providers/anthropic.ts')).anthropic,
};

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new ModelError(
    `the base URL ${JSON.stringify(text)} is not an http or https address; give one such as http://localhost:11434/v1`,
  );
}
