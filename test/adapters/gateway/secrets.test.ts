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
  [`//npm.example.com/:_authToken=npm_${letters.slice(3, 39)}`, `npm_${letters.slice(3, 39)}`],
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

/** Characters that are the same in each run. */
function anyOf(
  length: number,
  from = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
) {
  return Array.from({ length }, () => from[(seed = (seed * 48_271) % 2_147_483_647) % from.length]).join(''); // prettier-ignore
}
let seed = 20_261_128;
const hex = (length: number): string => anyOf(length, '0123456789abcdef');

/** Secrets as they stand in files, commands and prompts. */
const kinds: readonly (readonly [
  what: string,
  text: (secret: string) => string,
  secret: string,
])[] = [
  [
    'aws secret',
    (s) =>
      `[default]\naws_access_key_id = AKIA${anyOf(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}\naws_secret_access_key = ${s}\nregion = eu-west-1`,
    anyOf(40),
  ],
  ['jwt', (s) => `const t = "${s}"`, `eyJ${anyOf(30)}.eyJ${anyOf(60)}.${anyOf(43)}`],
  ['netrc', (s) => `machine api.example.com\n  login bob\n  password ${s}`, anyOf(16)],
  ['netrc line', (s) => `machine api.example.com login bob password ${s}`, anyOf(16)],
  ['pgpass', (s) => `db.example.com:5432:app:bob:${s}`, anyOf(16)],
  [
    'azure',
    (s) =>
      `DefaultEndpointsProtocol=https;AccountName=foo;AccountKey=${s};EndpointSuffix=core.windows.net`,
    anyOf(86) + '==',
  ],
  [
    'gcp json',
    (s) =>
      JSON.stringify(
        {
          type: 'service_account',
          project_id: 'p',
          private_key_id: hex(40),
          private_key: `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n`,
          client_email: 'a@b.iam',
        },
        null,
        2,
      ),
    anyOf(64),
  ],
  [
    'kubeconfig',
    (s) => `users:\n- name: x\n  user:\n    client-key-data: ${s}\n    token: abc`,
    Buffer.from('-----BEGIN RSA PRIVATE KEY-----\n' + anyOf(60)).toString('base64'),
  ],
  [
    'basic',
    (s) => `curl -H "Authorization: Basic ${s}" https://x`,
    Buffer.from('bob:' + anyOf(12)).toString('base64'),
  ],
  ['curl -u', (s) => `curl -u bob:${s} https://x`, anyOf(14)],
  ['mysql -p', (s) => `mysql -u root -p${s} app`, anyOf(14)],
  ['sshpass', (s) => `sshpass -p ${s} ssh bob@host`, anyOf(14)],
  ['redis', (s) => `redis://:${s}@cache:6379/0`, anyOf(20)],
  ['mongodb', (s) => `mongodb+srv://bob:${s}@cluster0.mongodb.net/app`, anyOf(20)],
  [
    'slack hook',
    (s) => `https://hooks.slack.com/services/${s}`,
    `T${anyOf(8)}/B${anyOf(8)}/${anyOf(24)}`,
  ],
  ['discord', (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`, anyOf(68)],
  ['telegram', (s) => `bot${s}`, `123456789:AA${anyOf(33)}`],
  ['sendgrid', (s) => `key ${s}`, `SG.${anyOf(22)}.${anyOf(43)}`],
  ['twilio', (s) => `TWILIO_AUTH_TOKEN=${s}`, hex(32)],
  ['github pat', (s) => `git clone https://${s}@github.com/x/y`, `ghp_${anyOf(36)}`],
  ['github fine', (s) => `export GH=${s}`, `github_pat_${anyOf(22)}_${anyOf(59)}`],
  ['gitlab', (s) => `glab auth --token ${s}`, `glpat-${anyOf(20)}`],
  ['npm', (s) => `//npm.example.com/:_authToken=${s}`, `npm_${anyOf(36)}`],
  ['pypi', (s) => `password = ${s}`, `pypi-AgEIcHlwaS5vcmc${anyOf(60)}`],
  [
    'docker auth',
    (s) => JSON.stringify({ auths: { 'https://index.docker.io/v1/': { auth: s } } }),
    Buffer.from('bob:' + anyOf(16)).toString('base64'),
  ],
  ['stripe', (s) => `Stripe("${s}")`, `sk_live_${anyOf(24)}`],
  ['openai', (s) => `client = OpenAI(api_key="${s}")`, `sk-proj-${anyOf(48)}`],
  ['anthropic', (s) => `ANTHROPIC_API_KEY: ${s}`, `sk-ant-api03-${anyOf(90)}`],
  ['hf', (s) => `login("${s}")`, `hf_${anyOf(34)}`],
  ['google', (s) => `key=${s}`, `AIza${anyOf(35)}`],
  ['rails', (s) => `secret_key_base: ${s}`, hex(128)],
  [
    'django',
    (s) => `SECRET_KEY = 'django-insecure-${s}'`,
    anyOf(50, 'abcdefghijklmnopqrstuvwxyz0123456789@#$%^&*(-_=+)'),
  ],
  ['laravel', (s) => `APP_KEY=base64:${s}`, Buffer.from(anyOf(32)).toString('base64')],
  ['php', (s) => `define('DB_PASSWORD', '${s}');`, anyOf(14)],
  ['java', (s) => `spring.datasource.password=${s}`, anyOf(14)],
  ['xml', (s) => `<password>${s}</password>`, anyOf(14)],
  ['yaml', (s) => `  adminPassword: ${s}`, anyOf(14)],
  ['toml', (s) => `api_token = "${s}"`, anyOf(24)],
  ['tfvars', (s) => `db_password = "${s}"`, anyOf(14)],
  ['env special', (s) => `DB_PASSWORD='${s}'`, 'p@ss w0rd!$x'],
  ['env short', (s) => `PASSWORD=${s}`, 'hunter2'],
  ['env words', (s) => `PASSWORD=${s}`, 'correcthorsebatterystaple'],
  ['prompt', (s) => `My password is ${s}, please log in.`, 'Tr0ub4dor&3'],
  ['prompt de', (s) => `the API key is: ${s}`, anyOf(32)],
  ['age', (s) => s, `AGE-SECRET-KEY-1${anyOf(58, 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789')}`],
  [
    'ssh',
    (s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}\n-----END OPENSSH PRIVATE KEY-----`,
    anyOf(70),
  ],
  ['cat -n', (s) => `     1→DB_HOST=x\n     2→DB_PASSWORD=${s}\n     3→DB_NAME=y`, anyOf(14)],
  ['docker-compose', (s) => `      - POSTGRES_PASSWORD=${s}`, anyOf(14)],
  [
    'k8s secret',
    (s) => `apiVersion: v1\nkind: Secret\ndata:\n  password: ${s}`,
    Buffer.from(anyOf(14)).toString('base64'),
  ],
  ['cli', (s) => `vault login ${s}`, `hvs.${anyOf(24)}`],
  ['header', (s) => `X-Api-Key: ${s}`, anyOf(32)],
  ['cookie', (s) => `Cookie: session=${s}`, anyOf(40)],
  ['query', (s) => `https://api.example.com/v1?api_key=${s}&x=1`, anyOf(32)],
  [
    'totp',
    (s) => `otpauth://totp/x?secret=${s}&issuer=y`,
    anyOf(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
  ],
];

test.each(kinds)('sends no secret of this kind: %s', (_, text, secret) => {
  const body = { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text(secret) }] }] }; // prettier-ignore
  const sent = JSON.stringify(new Cloak().hide(body));
  expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1));
  expect(sent).toContain('HM_SECRET_');
});

test('says that a conversation holds placeholders of an earlier run', async () => {
  const format = providerFormats['anthropic']!;
  const provider = await startProvider(giveAnswer(format, { texts: ['Thanks'] }));
  const { ask, warnings } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
  for (let calls = 0; calls < 2; calls++) await ask(format, 'Use HM_SECRET_0123456789abcdef');
  expect(warnings.filter((line) => line.includes('of an earlier run'))).toHaveLength(1);
});

test('looks at every field of a call’s arguments, whatever its name', () => {
  const secret = `ghp_${letters.slice(0, 36)}`;
  const input = { id: secret, type: secret, nested: { tools: [secret], model: secret } };
  const sent = JSON.stringify(
    new Cloak().hide({
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'x', input }], tool_calls: [{ id: 't', function: { name: 'x', arguments: JSON.stringify(input) } }] }], // prettier-ignore
      contents: [{ parts: [{ functionCall: { name: 'x', args: input } }, { functionResponse: { name: 'x', response: input } }] }], // prettier-ignore
    }),
  );
  expect(sent).not.toContain(secret);
});

test.each([
  '/v1/messages/count_tokens?beta=true',
  '/responses/compact',
  '/v1beta/models/m:countTokens',
])('sends no secret to %s, which is no model call', async (path) => {
  // prettier-ignore
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"input_tokens": 7}');
  });
  const { url } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
  const body = JSON.stringify({ messages: [{ role: 'user', content: everything }] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/anthropic${path}`, { method: 'POST', headers, body });
  expect(await answer.text()).toBe('{"input_tokens": 7}');
  for (const [, secret] of planted) expect(provider.requests[0]!.body).not.toContain(secret);
  expect(provider.requests[0]!.body).toContain('HM_SECRET_');
});
