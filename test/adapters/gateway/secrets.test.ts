import { describe, expect, test } from 'vitest';
import { Cloak } from '../../../src/adapters/gateway/secrets/cloak.ts';
import { gatewayTo } from '../../support/gateway.ts';
import { giveAnswer, providerFormats, startProvider } from '../../support/provider.ts';

const letters = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'.repeat(4);

/** Secrets as they stand in files, with the value that nobody else may see. */
const planted: readonly (readonly [text: string, secret: string])[] = [
  ['DB_PASSWORD=hunter22secret', 'hunter22secret'],
  ['export API_KEY="k-9f8e7d6c5b4a3210"', 'k-9f8e7d6c5b4a3210'],
  ['DATABASE_URL=postgres://bob:s3cr3tpw99@db.example.com/x', 's3cr3tpw99'],
  ['aws_access_key_id = AKIAIOSFODNN7EXAMPL2', 'AKIAIOSFODNN7EXAMPL2'],
  [`token: ghp_${letters.slice(0, 36)}`, `ghp_${letters.slice(0, 36)}`],
  [`//registry.npmjs.org/:_authToken=npm_${letters.slice(3, 39)}`, `npm_${letters.slice(3, 39)}`],
  [`OPENAI=sk-proj-${letters.slice(0, 40)}`, `sk-proj-${letters.slice(0, 40)}`],
  [`ANTHROPIC=sk-ant-api03-${letters.slice(2, 50)}`, `sk-ant-api03-${letters.slice(2, 50)}`],
  [`slack xoxb-${letters.slice(26, 60)}`, `xoxb-${letters.slice(26, 60)}`],
  [`google AIza${letters.slice(0, 35)}`, `AIza${letters.slice(0, 35)}`],
  ['curl -H "Authorization: Bearer 0123456789abcdef0123456789abcdef" https://x.example', '0123456789abcdef0123456789abcdef'], // prettier-ignore
  [`-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA${letters}\n${letters}\n-----END RSA PRIVATE KEY-----`, `MIIEowIBAAKCAQEA${letters}`], // prettier-ignore
  ['{"password": "correcthorse1", "user": "bob"}', 'correcthorse1'],
  ['stripe: sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
];

const everything = planted.map(([text]) => text).join('\n');

describe.each(Object.entries(providerFormats))('the gateway to %s', (_, format) => {
  test.each(['text', 'result', 'system'] as const)('sends no secret of a %s', async (place) => {
    const provider = await startProvider(giveAnswer(format, { texts: ['Thanks'] }));
    const { ask, warnings } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
    const padded = `${'An innocent line.\n'.repeat(4_000)}${everything}\n${'More.\n'.repeat(100)}`;
    for (const text of [everything, padded, JSON.stringify({ content: everything })]) {
      await ask(format, place === 'text' ? text : 'Read it', {
        result: place === 'result' ? text : 'ok',
        ...(place === 'system' && { system: text }),
      });
      const sent = provider.requests.at(-1)!.body;
      for (const [, secret] of planted) expect(sent).not.toContain(secret);
      expect(sent).toContain('HM_SECRET_');
      expect(JSON.stringify(JSON.parse(sent) as unknown)).toBe(sent);
    }
    expect(warnings.join('\n')).toMatch(/secrets were replaced in what goes to 127\.0\.0\.1/);
    for (const [, secret] of planted) expect(warnings.join('\n')).not.toContain(secret);
  });

  test('sends no secret that is encoded in base64', async () => {
    const provider = await startProvider(giveAnswer(format, { texts: ['Thanks'] }));
    const { ask } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
    const encoded = Buffer.from(everything).toString('base64');
    await ask(format, 'Read it', { result: `data: ${encoded}` });
    expect(provider.requests[0]!.body).not.toContain(encoded.slice(0, 40));
  });

  test.each([true, false])(
    'puts secrets back into the arguments of calls, with stream: %s',
    async (stream) => {
      const provider = await startProvider((response, request) => {
        const [mark = ''] = /HM_SECRET_[0-9a-f]{16}/.exec(request.body) ?? [];
        const args = { file_path: '.env', content: `DB_PASSWORD=${mark}\n"quoted" \\ é`, nested: [{ mark }] }; // prettier-ignore
        return giveAnswer(format, { texts: [`I keep ${mark}.`], calls: [{ name: 'Write', args }] })(response, request); // prettier-ignore
      });
      const { ask } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
      const { read } = await ask(format, 'Read it', {
        stream,
        result: 'DB_PASSWORD=hunter22secret',
        tools: ['Write'],
      });
      expect(read().calls).toEqual([
        {
          name: 'Write',
          args: {
            file_path: '.env',
            content: 'DB_PASSWORD=hunter22secret\n"quoted" \\ é',
            nested: [{ mark: 'hunter22secret' }],
          },
        },
      ]);
      expect(read().text).toMatch(/^I keep HM_SECRET_\w+\.$/);
    },
  );
});

const session = (id: string) => ({ headers: { 'x-claude-code-session-id': id }, result: everything }); // prettier-ignore

test('a secret has the same placeholder throughout a conversation, and another in the next', async () => {
  const format = providerFormats['anthropic']!;
  const provider = await startProvider(giveAnswer(format, { texts: ['Thanks'] }));
  const { ask } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
  await ask(format, 'Read it', session('one'));
  await ask(format, 'Once more: hunter22secret', session('one'));
  await ask(format, 'Read it', session('two'));
  const marks = provider.requests.map(({ body }) => /DB_PASSWORD=(HM_SECRET_\w+)/.exec(body)?.[1]);
  expect(marks[0]).toBe(marks[1]);
  expect(marks[2]).not.toBe(marks[0]);
  expect(provider.requests[1]!.body).toContain(`Once more: ${marks[0]}`);
});

const code = [
  'const password = req.body.password;',
  'let token: string = getToken();',
  'const apiKey = process.env.API_KEY;',
  'if (password === undefined) throw new Error("password missing");',
  'function login(user: string, password: string): Promise<void> {}',
  'password: ${{ secrets.NPM_TOKEN }}',
  'PASSWORD=$DB_PASSWORD ./run.sh',
  'API_KEY=<your key here>',
  'max_tokens: 4096, tokenCount = countTokens(text)',
  'this.token = await this.auth.refresh(token);',
  "secret = os.environ['SECRET']",
  'The password is stored in the keychain.',
  'import { token } from "./token.ts";',
];

test.each(code)('leaves code as it is: %s', (line) => {
  const value = { messages: [{ role: 'user', content: line }] };
  expect(new Cloak().hide(value)).toBe(value);
});

test('leaves ids, marks, tools and the bytes of pictures as they are', () => {
  const value = {
    tools: [{ name: 'login', description: 'password=hunter22secret' }],
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: Buffer.from('API_KEY=abcdef1234567890').toString('base64') } }] }, // prettier-ignore
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: `sk-ant-${letters}` }, { type: 'tool_use', id: `ghp_${letters.slice(0, 36)}`, name: 'Read', input: {} }] }, // prettier-ignore
    ],
  };
  expect(new Cloak().hide(value)).toBe(value);
});
