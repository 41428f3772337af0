import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Readonly<Record<string, unknown>>;

/** What the model says: a text, or calls of tools. */
export type Answer = string | readonly { readonly name: string; readonly input: Fields }[];

/** A local stand-in for the Messages API. */
export interface MessagesServer {
  readonly url: string;
  /** The bodies of the requests that offered tools, in order. */
  readonly requests: readonly { readonly messages: readonly Fields[] }[];
  readonly close: () => void;
}

/** Serves a model that gives these answers in order, one to each request that offers tools. */
export async function serveMessages(answers: readonly Answer[]): Promise<MessagesServer> {
  const requests: { messages: readonly Fields[] }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      if (!/\/v1\/messages(?:\?|$)/.test(request.url ?? '')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"input_tokens":1}');
        return;
      }
      const body = JSON.parse(text) as { messages: readonly Fields[]; tools?: readonly unknown[] };
      const isAgent = (body.tools?.length ?? 0) > 0;
      const answer = isAgent ? (answers[requests.length] ?? 'done') : 'title';
      if (isAgent) requests.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events(answer, requests.length))
        response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function* events(answer: Answer, turn: number): Generator<Fields> {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const id = `msg_${turn}`;
  const message = { id, type: 'message', role: 'assistant', model: 'm', content: [], usage };
  yield { type: 'message_start', message: { ...message, stop_reason: null } };
  const isText = typeof answer === 'string';
  const blocks = isText ? [answer] : answer;
  for (const [index, block] of blocks.entries()) {
    const start =
      typeof block === 'string'
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: `toolu_${turn}_${index}`, name: block.name, input: {} };
    yield { type: 'content_block_start', index, content_block: start };
    const pieces =
      typeof block === 'string'
        ? [{ type: 'text_delta', text: block }]
        : JSON.stringify(block.input)
            .match(/.{1,9}/gs)!
            .map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    for (const delta of pieces) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const stop_reason = isText ? 'end_turn' : 'tool_use';
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}
