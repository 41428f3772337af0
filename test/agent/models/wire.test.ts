import { expect, test } from 'vitest';
import { ModelError } from '../../../src/agent/models/model-error.ts';
import { adapters, describeEach } from './adapters.ts';
import { ask, failureOf } from './ask.ts';
import {
  breakingOff,
  deadUrl,
  failing,
  providerServer,
  stalling,
  streaming,
  type Respond,
} from './provider-server.ts';

describeEach(adapters, '$title over HTTP', ({ wire, model }) => {
  const serve = async (respond: Respond) => {
    const server = await providerServer(respond);
    return { ...server, model: model(server.url) };
  };

  test('text streams piece by piece and arrives as one whole response (HOOK-050)', async () => {
    const server = await serve(streaming(wire.text('Hello, ', 'wörld', '! 🎉')));
    const { response, streamed } = await ask(server.model);
    expect(streamed).toEqual(['Hello, ', 'wörld', '! 🎉']);
    expect(response).toMatchObject({
      text: 'Hello, wörld! 🎉',
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Hello, wörld! 🎉' }] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: 'wire-model',
    });
    expect(response.candidates).toHaveLength(1);
    expect(server.arrived).toHaveLength(1);
  });

  test('several tool calls keep their order and arguments', async () => {
    const calls = [
      { name: 'read_file', args: { path: 'a "quoted".txt', limit: 3 } },
      { name: 'glob', args: { pattern: '*' } },
    ];
    const { model: asked } = await serve(streaming(wire.calls(...calls)));
    const { response, streamed } = await ask(asked, {
      config: { tools: [{ functionDeclarations }] },
    });
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    expect(parts.map(({ functionCall }) => functionCall)).toMatchObject(calls);
    expect(streamed).toEqual([]);
    expect(response.text).toBe('');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
  });

  test.each([
    [401, /API key was refused \(401\): No, no\.; check the key/, false],
    [403, /API key was refused \(403\): No, no\./, false],
    [404, /no such model or address \(404\): No, no\.; check the name and the URL/, false],
    [400, /refused the request \(400\): No, no\./, false],
    [429, /rate limit was reached \(429\): No, no\.; wait and try again/, true],
    [500, /provider failed \(500\): No, no\.; try again later/, true],
    [503, /provider failed \(503\): No, no\./, true],
  ])(
    'status %i gives one line that says what to do, without a retry',
    async (status, line, retryable) => {
      const server = await serve(failing(status, wire.failure('No, no.')));
      const error = await failureOf(server.model);
      expect(error.message).toMatch(line);
      expect(error.message).toMatch(/^wire-model: [^\n]+$/);
      expect(error).toMatchObject({ status, retryable });
      expect(error.cause).toBeInstanceOf(Error);
      expect(server.arrived).toHaveLength(1);
    },
  );

  test('an HTML page of a proxy gives one short line', async () => {
    const page = `<html>\n<h1>Bad gateway</h1>\n${'<p>sorry</p>\n'.repeat(500)}</html>`;
    const { model: asked } = await serve(failing(502, page));
    const { message, status } = await failureOf(asked);
    expect(status).toBe(502);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(400);
  });

  test('a connection that breaks in mid-answer is an error, not half a response', async () => {
    const { model: asked } = await serve(breakingOff(wire.begun('Half an ')));
    const error = await failureOf(asked);
    expect(error.message).toMatch(/broke off/);
    expect(error.retryable).toBe(true);
  });

  test('an answer that ends without a finish is an error, not half a response', async () => {
    const { model: asked } = await serve(streaming(wire.begun('Half an ')));
    const error = await failureOf(asked);
    expect(error.message).toMatch(/broke off/);
    expect(error.retryable).toBe(true);
  });

  test('an empty stream is an error', async () => {
    const { model: asked } = await serve(streaming([]));
    expect((await failureOf(asked)).message).toMatch(/^wire-model: [^\n]+$/);
  });

  test('a chunk that is not JSON is an error', async () => {
    const { model: asked } = await serve(
      streaming([...wire.begun('Half'), wire.garbage, ...wire.text(' whole').slice(1)]),
    );
    expect((await failureOf(asked)).message).toMatch(/could not be understood/);
  });

  test('an error event in mid-stream is an error', async () => {
    const { model: asked } = await serve(
      streaming([...wire.begun('Half'), wire.brokeDown('Too busy')]),
    );
    const error = await failureOf(asked);
    expect(error.message).toContain('Too busy');
    expect(error.retryable).toBe(true);
  });

  test('an abort in mid-stream ends the call at once and closes the connection', async () => {
    const server = await serve(stalling(wire.begun('Half')));
    const controller = new AbortController();
    const reason = new Error('the user had enough');
    let streamed = '';
    const asked = server.model.generate(
      { model: 'wire-model', contents: 'Hello' },
      {
        signal: controller.signal,
        onText: (text) => {
          streamed += text;
          controller.abort(reason);
        },
      },
    );
    await expect(asked).rejects.toBe(reason);
    expect(streamed).toBe('Half');
    await server.hungUp;
  });

  test('an abort before the answer begins closes the connection too', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const thrown: unknown = await ask(server.model, {}, controller.signal).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBe(controller.signal.reason);
    await server.hungUp;
  });

  test('a call that was aborted before it began sends no request', async () => {
    const server = await serve(streaming(wire.text('Too late')));
    const reason = new Error('gone');
    await expect(ask(server.model, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.arrived).toHaveLength(0);
  });

  test('a listener that throws ends the call and closes the connection', async () => {
    const server = await serve(stalling(wire.begun('Half')));
    const asked = server.model.generate(
      { model: 'wire-model', contents: 'Hello' },
      {
        signal: new AbortController().signal,
        onText: () => {
          throw new Error('no screen');
        },
      },
    );
    await expect(asked).rejects.toThrow('no screen');
    await server.hungUp;
  });

  test('an unreachable server is named', async () => {
    const url = await deadUrl();
    const error = await failureOf(model(url));
    expect(error.message).toContain(new URL(url).host);
    expect(error.message).toMatch(/^wire-model: \S+ could not be reached \(ECONNREFUSED\)$/);
    expect(error).toMatchObject({ status: undefined, retryable: true });
    expect(error).toBeInstanceOf(ModelError);
  });
});

const functionDeclarations = ['read_file', 'glob'].map((name) => ({
  name,
  description: name,
  parametersJsonSchema: { type: 'object', properties: {} },
}));
