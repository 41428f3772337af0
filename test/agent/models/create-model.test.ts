import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { createModel } from '../../../src/agent/models/create-model.ts';
import '../../build.ts';
import { project } from '../../support/project.ts';
import { ask } from './ask.ts';
import { currentLineFolder, ofCurrentLine, testCurrentLine } from './current-line.ts';
import { providerServer, streaming } from './provider-server.ts';
import { anthropic, gemini, openAI } from './wires.ts';

const answering = (wire: { text(piece: string): string[] }) =>
  providerServer(streaming(wire.text('Hi')));

describe('createModel', () => {
  test.each([
    ['gpt-5', {}, /^"gpt-5" is not a known model; use scripted:FILE, openai-compatible:NAME/],
    ['', {}, /^"" is not a known model/],
    ['openai:gpt-5', {}, /^"openai:gpt-5" is not a known model/],
    ['constructor:x', {}, /is not a known model/],
    ['google:', {}, /^"google:" has no name after the colon/],
    ['scripted: ', {}, /has no name after the colon/],
    ['scripted:none.yaml', {}, /^none\.yaml: the scripted model cannot be read/],
    [
      'scripted:a.yaml',
      { baseUrl: 'http://localhost' },
      /^scripted:a\.yaml uses no server; leave the base URL out$/,
    ],
    [
      'openai-compatible:m',
      {},
      /^openai-compatible:m needs the server's address; give it with --base-url/,
    ],
    [
      'openai-compatible:m',
      { baseUrl: 'localhost:1234' },
      /^the base URL "localhost:1234" is not an http or https address/,
    ],
    ['openai-compatible:m', { baseUrl: '' }, /^the base URL "" is not an http or https address/],
    ['google:m', {}, /^google:m needs an API key; set GEMINI_API_KEY or GOOGLE_API_KEY$/],
    ['google:m', { env: { GEMINI_API_KEY: ' ' } }, /^google:m needs an API key/],
    ['anthropic:m', {}, /^anthropic:m needs an API key; set ANTHROPIC_API_KEY$/],
  ])('createModel refuses %j with %j in one line', async (spec, options, message) => {
    const making = createModel(spec, { env: {}, ...options });
    await expect(making).rejects.toThrow(message);
    await expect(making).rejects.toMatchObject({ name: 'ModelError' });
    await expect(making).rejects.toThrow(/^[^\n]+$/);
  });

  test('scripted:FILE reads a script, even with a colon in its path', async () => {
    const file = join(project({ 'a:b.yaml': '- text: Hi' }), 'a:b.yaml');
    const { response } = await ask(await createModel(`scripted:${file}`));
    expect(response.text).toBe('Hi');
  });

  test('openai-compatible:NAME needs no key, but sends one if there is one', async () => {
    const server = await answering(openAI);
    const options = { baseUrl: `${server.url}/v1/` };
    const model = await createModel('openai-compatible:org/m:7b', { ...options, env: {} });
    expect(model.name).toBe('org/m:7b');
    const { response } = await ask(model);
    expect(response).toMatchObject({ text: 'Hi', usageMetadata: { totalTokenCount: 18 } });
    await ask(
      await createModel('openai-compatible:m', { ...options, env: { OPENAI_API_KEY: 'key' } }),
    );
    const [first, second] = server.arrived;
    expect(first).toMatchObject({
      url: '/v1/chat/completions',
      body: { model: 'org/m:7b', stream_options: { include_usage: true } },
    });
    expect(first!.headers).not.toHaveProperty('authorization');
    expect(second!.headers.authorization).toBe('Bearer key');
  });

  test.each([
    ['', { GEMINI_API_KEY: 'key', GOOGLE_API_KEY: 'other' }],
    ['/v1beta', { GOOGLE_API_KEY: 'key' }],
  ])("google:NAME uses Google's own client with a base URL ending in %j", async (path, env) => {
    const server = await answering(gemini);
    const model = await createModel('google:m', { baseUrl: `${server.url}${path}`, env });
    expect((await ask(model)).response.text).toBe('Hi');
    const { url, headers } = server.arrived[0]!;
    expect(url).toBe('/v1beta/models/m:streamGenerateContent?alt=sse');
    expect(headers['x-goog-api-key']).toBe('key');
    expect(headers['user-agent']).toMatch(/google-genai-sdk/);
  });

  test.each([
    [(url: string) => ({ baseUrl: url }), {}],
    [(url: string) => ({ baseUrl: `${url}/v1/` }), { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }],
    [() => ({}), 'ANTHROPIC_BASE_URL'],
  ])('anthropic:NAME uses the base URL, or ANTHROPIC_BASE_URL', async (optionsFor, more) => {
    const server = await answering(anthropic);
    const env = {
      ANTHROPIC_API_KEY: 'key',
      ...(typeof more === 'string' ? { [more]: server.url } : more),
    };
    const model = await createModel('anthropic:m', { ...optionsFor(server.url), env });
    expect((await ask(model)).response.text).toBe('Hi');
    expect(server.arrived[0]).toMatchObject({
      url: '/v1/messages',
      headers: { 'x-api-key': 'key' },
    });
  });

  test.each([
    ['openai-compatible', openAI, '/chat/completions', {}],
    [
      'google',
      gemini,
      '/v1beta/models/other:streamGenerateContent?alt=sse',
      { GEMINI_API_KEY: 'k' },
    ],
    ['anthropic', anthropic, '/v1/messages', { ANTHROPIC_API_KEY: 'k' }],
  ])('a request to a %s model can name another model', async (kind, wire, path, env) => {
    const server = await answering(wire);
    const model = await createModel(`${kind}:m`, { baseUrl: server.url, env });
    await ask(model, { model: 'other' });
    expect(server.arrived[0]!.url).toBe(path);
    if (kind !== 'google') expect(server.arrived[0]!.body.model).toBe('other');
  });
});

/**
 * Creates and calls a model in a separate process in which packages are missing (null), of the current line,
 * or replaced.
 */
async function askWith(
  packages: Readonly<Record<string, string | null>>,
  spec: string,
  baseUrl?: string,
) {
  const root = new URL('../../../', import.meta.url);
  const resolve = `export async function resolve(name, context, next) {
    const packages = ${JSON.stringify(packages)};
    if (packages[name] === 'current') return next(name, { ...context, parentURL: ${JSON.stringify(currentLineFolder)} });
    if (packages[name] !== null) return next(packages[name] ?? name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "' imported from x"), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(resolve)}));
    const { createModel } = await import(${JSON.stringify(new URL('dist/src/agent/models/create-model.js', root).href)});
    try {
      const model = await createModel(${JSON.stringify(spec)}, ${JSON.stringify({ baseUrl })});
      const signal = new AbortController().signal;
      console.log((await model.generate({ model: '', contents: 'Hello' }, { signal })).text);
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: { GEMINI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key' },
    timeout: 120_000,
  });
  return stdout;
}

describe('optional packages', () => {
  test.each([
    ['openai-compatible:m', '@ai-sdk/openai-compatible'],
    ['anthropic:m', '@ai-sdk/anthropic'],
    ['google:m', '@ai-sdk/google'],
  ])('%s says which package is missing and how to install it', async (spec, name) => {
    const said = await askWith({ '@google/genai': null, [name]: null }, spec, 'http://127.0.0.1:1');
    expect(said).toBe(
      `ModelError: ${spec} needs the package ${name}; install it where hookmachine is installed: npm i ${name}`,
    );
  });

  test("google:NAME uses the AI SDK if Google's own client is missing", async () => {
    const server = await answering(gemini);
    expect(await askWith({ '@google/genai': null }, 'google:m', server.url)).toBe('Hi');
    expect(server.arrived[0]!.url).toBe('/v1beta/models/m:streamGenerateContent?alt=sse');
    expect(server.arrived[0]!.headers['user-agent']).toMatch(/ai-sdk/);
  });

  testCurrentLine.each([
    ['openai-compatible:m', '@ai-sdk/openai-compatible', openAI],
    ['google:m', '@ai-sdk/google', gemini],
    ['anthropic:m', '@ai-sdk/anthropic', anthropic],
  ])(ofCurrentLine('%s also runs on the current line of %s'), async (spec, name, wire) => {
    const server = await answering(wire);
    const packages = { '@google/genai': null, [name]: 'current' };
    expect(await askWith(packages, spec, server.url)).toBe('Hi');
  });

  test('an installed but broken package is reported as broken', async () => {
    const broken = 'data:text/javascript,throw new Error("half installed")';
    const said = await askWith(
      { '@ai-sdk/anthropic': broken },
      'anthropic:m',
      'http://127.0.0.1:1',
    );
    expect(said).toBe(
      'ModelError: the package @ai-sdk/anthropic cannot be loaded: half installed; reinstall it',
    );
  });

  test('a scripted model needs no optional package', async () => {
    const file = join(project({ 'session.yaml': '- text: Hi' }), 'session.yaml');
    const none = { '@google/genai': null, '@ai-sdk/google': null, '@ai-sdk/anthropic': null };
    const packages = { ...none, '@ai-sdk/openai-compatible': null };
    expect(await askWith(packages, `scripted:${file}`)).toBe('Hi');
  });
});
