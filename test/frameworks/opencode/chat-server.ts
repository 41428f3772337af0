import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Readonly<Record<string, unknown>>;

/** What the model says: a text, or calls of tools. */
export type Answer = string | readonly { readonly name: string; readonly input: Fields }[];

/** A request from the agent. */
export interface ChatRequest extends Fields {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A local stand-in for a provider with the Chat Completions API. */
export interface ChatServer {
  readonly url: string;
  /** The bodies of the requests that offered tools, in order. */
  readonly requests: readonly ChatRequest[];
  readonly close: () => void;
}

/** Serves a model that gives these answers in order, one to each request that offers tools. */
export async function serveChat(answers: readonly Answer[]): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest & {
        readonly tools?: readonly unknown[];
      };
      const isAgent = (body.tools?.length ?? 0) > 0;
      const answer = isAgent ? (answers[requests.length] ?? 'done') : 'title';
      if (isAgent) requests.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events(answer, requests.length))
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
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

function* events(answer: Answer, turn: number): Generator<Fields | string> {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const isText = typeof answer === 'string';
  const deltas: Fields[] = isText
    ? (answer.match(/.{1,9}/gs) ?? []).map((content) => ({ role: 'assistant', content }))
    : answer.map(({ name, input }, index) => ({
        role: 'assistant',
        tool_calls: [
          {
            index,
            id: `call_${turn}_${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          },
        ],
      }));
  for (const delta of deltas)
    yield { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] };
  const reason = isText ? 'stop' : 'tool_calls';
  yield { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  yield { ...chunk, choices: [], usage };
  yield '[DONE]';
}
