import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { gatewayTo } from '../../support/gateway.ts';
import { hookAt } from '../../support/own-hooks.ts';
import { giveAnswer, providerFormats, startProvider, streamOf } from '../../support/provider.ts';

const editor = (code: string) => ({
  files: {
    'editor.mjs': `export default ({ stream }) => { const { text, done } = stream ?? {}; if (text === undefined) return; ${code} };`,
  },
});

const says = (answer: object): string => `cat > /dev/null; echo '${JSON.stringify(answer)}'`;

describe.each(Object.entries(providerFormats))('the gateway to %s', (_, format) => {
  describe.each([true, false])('with stream: %s', (stream) => {
    const said = { texts: ['Hellö world'], calls: [{ name: 'Bash', args: { command: 'ls' } }] };
    const tools = ['Bash', 'Read'];
    const expected = stream ? streamOf(format, said) : JSON.stringify(format.whole(said));

    test('passes on request and answer byte for byte if no hook speaks', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(provider);
      const { answer, headers, status } = await ask(format, 'Hi', { stream, tools });
      expect(provider.requests[0]?.body).toBe(JSON.stringify(format.body('Hi', { stream, tools })));
      expect(provider.requests[0]?.headers.authorization).toBe('Bearer k');
      expect([status, answer, headers.get('x-request-id')]).toEqual([200, expected, 'r-1']);
    });

    test('passes them on byte for byte if hooks see them and say nothing', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(provider, {
        hooks: Object.fromEntries(
          ['BeforeToolSelection', 'BeforeModel', 'AfterModel'].map((event) => [
            event,
            [{ hooks: [{ type: 'command', command: 'cat > /dev/null' }] }],
          ]),
        ),
      });
      const { answer } = await ask(format, 'Hi', { stream, tools, result: 'A=1' });
      expect(provider.requests[0]?.body).toBe(
        JSON.stringify(format.body('Hi', { stream, tools, result: 'A=1' })),
      );
      expect(answer).toBe(expected);
    });

    test('sends what hooks make of the text, the settings and the model, and nothing else changes', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(
        provider,
        hookAt(
          'BeforeModel',
          `node -e 'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{const {llm_request:r}=JSON.parse(s);console.log(JSON.stringify({systemMessage:"Speak up.",hookSpecificOutput:{hookEventName:"BeforeModel",llm_request:{model:"other-model",config:{temperature:0.5},messages:r.messages.map(m=>({...m,content:m.content.replace("Hi","Ho")}))}}}))})'`,
        ),
      );
      await ask(format, 'Hi', { stream, tools, result: 'A=1' });
      const sent = provider.requests[0]!;
      const given = JSON.stringify(format.body('Hi', { stream, tools, result: 'A=1' }));
      const { url, body } = sent;
      expect(`${url} ${body}`).toContain('other-model');
      expect(body).toContain('Ho');
      expect(body).not.toContain('"Hi"');
      expect(body).toMatch(/"temperature":0\.5/);
      expect(body).toContain('Speak up.');
      // Marks, results and fields that nobody knows stay.
      for (const kept of ['cache_control', 'c2ln', 'A=1', '.env', 'kept', 'Be nice.'])
        expect(body.includes(kept)).toBe(given.includes(kept));
    });

    test('answers in the place of the model, in its format', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(
        provider,
        hookAt(
          'BeforeModel',
          says({ decision: 'deny', hookSpecificOutput: { hookEventName: 'BeforeModel', llm_response: { text: 'From the cache.' } } }), // prettier-ignore
        ),
      );
      const { read, status } = await ask(format, 'Hi', { stream, tools });
      expect(provider.requests).toEqual([]);
      expect([status, read().text, read().calls]).toEqual([200, 'From the cache.', []]);
    });

    test('tells the reason if a hook denies the call or stops the agent', async () => {
      for (const answer of [
        { decision: 'deny', reason: 'Not today.' },
        { continue: false, stopReason: 'Not today.' },
      ]) {
        // prettier-ignore
        const provider = await startProvider(giveAnswer(format, said));
        const { ask } = await gatewayTo(provider, hookAt('BeforeModel', says(answer)));
        const { read } = await ask(format, 'Hi', { stream, tools });
        expect(provider.requests).toEqual([]);
        expect([read().text, read().calls]).toEqual(['Not today.', []]);
      }
    });

    test('gives the agent the answer that hooks made of the model’s, with its calls', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(
        provider,
        hookAt(
          'AfterModel',
          says({ hookSpecificOutput: { hookEventName: 'AfterModel', llm_response: { text: 'Goodbye.' } } }), // prettier-ignore
        ),
      );
      const { read, answer } = await ask(format, 'Hi', { stream, tools });
      expect([read().text, read().calls]).toEqual(['Goodbye.', said.calls]);
      expect(answer).not.toContain('Hell');
    });

    test('gives the agent no call of an answer that a hook stopped', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(
        provider,
        hookAt('AfterModel', says({ continue: false, stopReason: 'Enough.' })),
      );
      const { read } = await ask(format, 'Hi', { stream, tools });
      expect([read().text, read().calls]).toEqual(['Enough.', []]);
    });

    test('offers only the tools that hooks leave, and holds back a call of another', async () => {
      const provider = await startProvider(giveAnswer(format, said));
      const { ask } = await gatewayTo(
        provider,
        hookAt(
          'BeforeToolSelection',
          says({ hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'AUTO', allowedFunctionNames: ['Read'] } } }), // prettier-ignore
        ),
      );
      const { read } = await ask(format, 'Hi', { stream, tools });
      const { tools: sent } = JSON.parse(provider.requests[0]!.body) as { tools: unknown };
      expect(JSON.stringify(sent)).toContain('Read');
      expect(JSON.stringify(sent)).not.toContain('Bash');
      expect(read().calls).toEqual([]);
      expect(read().text).toContain('Bash was not run');
      expect(read().reason).not.toMatch(/tool/);
    });

    test('hands on what the provider says of an error', async () => {
      const provider = await startProvider((response) => {
        response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' });
        response.end('{"odd":  "bytes"}');
      });
      const { ask } = await gatewayTo(provider, hookAt('AfterModel', 'cat'));
      const { status, headers, answer } = await ask(format, 'Hi', { stream });
      expect([status, headers.get('retry-after'), answer]).toEqual([429, '7', '{"odd":  "bytes"}']);
    });

    test('says in the provider’s form that it cannot be reached', async () => {
      const { ask } = await gatewayTo({ url: 'http://127.0.0.1:9', requests: [] });
      const { status, answer } = await ask(format, 'Hi', { stream });
      expect(status).toBe(502);
      expect(answer).toMatch(format.error);
      expect(answer).toContain('cannot be reached');
    });
  });

  const streaming = hookAt('AfterModel', {
    type: 'module',
    module: './editor.mjs',
    stream: { holdBack: 20 },
  });
  const said = { texts: ['Hello world'], calls: [{ name: 'Bash', args: { command: 'ls' } }] };

  test('shows text as streaming hooks let it through, and all else as it came', async () => {
    const provider = await startProvider(giveAnswer(format, said));
    const { ask } = await gatewayTo(
      provider,
      streaming,
      editor('return { text: text.toUpperCase() };'),
    );
    const { read, answer } = await ask(format, 'Hi', { stream: true, tools: ['Bash'] });
    expect([read().text, read().calls]).toEqual(['HELLO WORLD', said.calls]);
    for (const kept of ['Hm.', 'c2ln', 'b3BhcXVl', 'future_event'])
      expect(answer.includes(kept)).toBe(format.stream(said).includes(kept));
  });

  test('holds back text no longer than a hook wants, and never shows what it removes', async () => {
    const provider = await startProvider(
      giveAnswer(format, { texts: ['My key is AKIAIOSFODNN7EXAMPLE, and that is all.'] }),
    );
    const { ask } = await gatewayTo(provider, streaming, {
      files: {
        'editor.mjs': `export default ({ stream }) => { const { text, done } = stream ?? {}; if (text === undefined) return;
          const shown = text.replaceAll(/AKIA[0-9A-Z]{16}/g, '[key]');
          const end = done ? shown.length : Math.max(0, shown.length - 19);
          return { text: shown.slice(0, end), held: shown.slice(end) }; };`,
      },
    });
    const { read, answer } = await ask(format, 'Hi', { stream: true });
    expect(read().text).toBe('My key is [key], and that is all.');
    expect(answer).not.toContain('AKIA');
  });

  test('ends an answer well-formed where a streaming hook denies it', async () => {
    const provider = await startProvider(giveAnswer(format, said));
    const { ask } = await gatewayTo(
      provider,
      streaming,
      editor(`return text.includes('w') ? { decision: 'deny', reason: 'No worlds.' } : { text };`),
    );
    const { read } = await ask(format, 'Hi', { stream: true, tools: ['Bash'] });
    expect(read().text).toMatch(/^(?:Hel)?(?:\n\n)?No worlds\.$/);
    expect(read().calls).toEqual([]);
    expect(read().reason).toMatch(/end_turn|stop|STOP|completed/);
  });

  test('never gives half an event if the provider’s stream breaks off', async () => {
    for (const settings of [{}, hookAt('AfterModel', 'cat > /dev/null')]) {
      const provider = await startProvider((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const whole = format.stream({ texts: ['Hello world'] });
        response.write(whole.slice(0, whole.length - 90));
        setTimeout(() => response.destroy(), 50);
      });
      const { ask } = await gatewayTo(provider, settings);
      const { answer } = await ask(format, 'Hi', { stream: true });
      for (const line of answer.split('\n').filter((one) => one.startsWith('data: ')))
        expect(() => JSON.parse(line.slice(6)) as unknown).not.toThrow();
      expect(answer).toMatch(format.error);
    }
  });

  test('ends the provider’s call when the agent goes away', async () => {
    let isGone = false;
    const provider = await startProvider((response) => {
      response.once('close', () => (isGone = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(format.stream({ texts: ['Hello'] }).slice(0, 200));
    });
    const { url } = await gatewayTo(provider);
    const abort = new AbortController();
    const response = await fetch(`${url}/${format.name}${format.path(true)}`, {
      method: 'POST',
      body: JSON.stringify(format.body('Hi', { stream: true })),
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    abort.abort();
    await expect.poll(() => isGone).toBe(true);
  });
});

const status = async (address: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(address, { headers })).status;

test('does nothing for who does not know its token, or comes from a web page', async () => {
  const provider = await startProvider((response) => void response.end('{}'));
  const { url } = await gatewayTo(provider);
  expect(await status(url.replace('/token', '/tokem') + '/openai/models')).toBe(403);
  expect(await status(`${url}/openai/models`, { origin: 'https://evil.example' })).toBe(403);
  expect(await status(`${url}/other/models`)).toBe(404);
  expect(provider.requests).toEqual([]);
  expect(await status(`${url}/openai/models?limit=1`)).toBe(200);
  expect(provider.requests[0]?.url).toBe('/models?limit=1');
});

test('refuses what no hook could judge, and a WebSocket', async () => {
  const provider = await startProvider((response) => void response.end('{}'));
  const { url } = await gatewayTo(provider);
  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    fetch(`${url}/openai/chat/completions`, { method: 'POST', body, headers });
  expect((await post('not JSON')).status).toBe(400);
  expect((await post('{}', { 'content-encoding': 'zstd' })).status).toBe(400);
  expect((await post('{}', { 'content-encoding': 'lzma' })).status).toBe(400);
  expect((await post('{}', { 'content-encoding': 'constructor' })).status).toBe(400);
  expect((await post(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).status).toBe(400);
  const packed = gzipSync(JSON.stringify({ model: 'm', messages: [] }));
  expect((await post(packed, { 'content-encoding': 'gzip' })).status).toBe(200);
  expect(provider.requests.map(({ body }) => body)).toEqual(['{"model":"m","messages":[]}']);
  const json = JSON.stringify({ model: 'z', messages: [] });
  // A frame of one block that is not packed any further.
  const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, json.length, (json.length << 3) | 1, 0, 0]), Buffer.from(json)]); // prettier-ignore
  expect((await post(frame, { 'content-encoding': 'zstd' })).status).toBe(200);
  expect(provider.requests.at(-1)).toMatchObject({ body: json });
  expect(provider.requests.at(-1)!.headers['content-encoding']).toBeUndefined();
  const upgrade = await new Promise<number | undefined>((resolve) => {
    request(`${url}/openai/responses`, { headers: { connection: 'upgrade', upgrade: 'websocket' } })
      .once('response', ({ statusCode }) => resolve(statusCode))
      .end();
  });
  expect(upgrade).toBe(426);
});

test('reads an answer that is packed although nobody asked for that', async () => {
  const format = providerFormats['chat']!;
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify(format.whole({ texts: ['Hi'] }))));
  });
  const { ask, used } = await gatewayTo(provider);
  expect((await ask(format, 'Hi')).read().text).toBe('Hi');
  expect(used).toMatchObject([{ input: 160 }]);
});

test('two hundred calls at once each get their own answer', async () => {
  const format = providerFormats['anthropic']!;
  const provider = await startProvider((response, asked) => {
    const [, said = ''] = /call (\d+)/.exec(asked.body) ?? [];
    return giveAnswer(format, { texts: [`answer ${said}`] })(response, asked);
  });
  const { ask } = await gatewayTo(
    provider,
    hookAt('BeforeModel', { type: 'module', module: './look.mjs' }),
    {
      // prettier-ignore
      files: { 'look.mjs': 'export default () => undefined;' },
    },
  );
  const texts = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => (await ask(format, `call ${at}`, { stream: true })).read().text), // prettier-ignore
  );
  expect(texts).toEqual(Array.from({ length: 200 }, (_, at) => `answer ${at}`));
});

test('hooks of LLxprt and Gemini CLI run too', async () => {
  const format = providerFormats['anthropic']!;
  const denies = `cat > /dev/null; echo '{"decision":"deny","reason":"Not by me."}'`;
  const hooks = { BeforeModel: [{ hooks: [{ type: 'command', command: denies }] }] };
  for (const [file, settings] of [
    ['.llxprt/settings.json', { tools: { enableHooks: true }, hooks }],
    ['.gemini/settings.json', { hooks }],
  ] as const) {
    const provider = await startProvider(giveAnswer(format, { texts: ['Hi'] }));
    const { ask } = await gatewayTo(provider, {}, { files: { [file]: JSON.stringify(settings) } });
    expect((await ask(format, 'Hi')).read().text).toBe('Not by me.');
    expect(provider.requests).toEqual([]);
  }
});

test('a hook that fails in the middle of a stream lets the text go on, or denies as it is told', async () => {
  const format = providerFormats['anthropic']!;
  const said = { texts: ['Hello world'] };
  const failing = {
    files: { 'editor.mjs': `export default ({ stream }) => { if (stream?.text.includes('l')) throw new Error('broken'); };` }, // prettier-ignore
  };
  for (const onFailure of ['allow', 'block'] as const) {
    const provider = await startProvider(giveAnswer(format, said));
    const { ask, warnings } = await gatewayTo(
      provider,
      hookAt('AfterModel', { type: 'module', module: './editor.mjs', stream: { holdBack: 9 }, onFailure }), // prettier-ignore
      failing,
    );
    const { read } = await ask(format, 'Hi', { stream: true });
    if (onFailure === 'allow') expect(read().text).toBe('Hello world');
    else expect(read().text).not.toContain('world');
    expect(read().reason).toBe('end_turn');
    expect(warnings.join('\n')).toContain('broken');
  }
});

test('an answer that a model nested as deep as it could passes through', async () => {
  const format = providerFormats['chat']!;
  const deep = `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(deep);
  });
  const { ask } = await gatewayTo(provider);
  expect((await ask(format, 'Hi')).answer).toBe(deep);
});

test('a stream of one event of 20 MB passes through', async () => {
  const format = providerFormats['anthropic']!;
  const said = { texts: ['x'.repeat(20_000_000)] };
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(format.stream(said));
  });
  const { ask } = await gatewayTo(provider);
  expect((await ask(format, 'Hi', { stream: true })).answer === format.stream(said)).toBe(true);
});
