import { describe, expect, test } from 'vitest';
import { says } from '../support/relay.ts';
import { hostCases } from './host-cases.ts';
import { programOf } from './installed.ts';
import { realHosts } from './real-host.ts';
import { runHost } from './run-host.ts';
import { settings } from './settings.ts';

describe('the published Pi', () => hostCases('pi'));

describe.skipIf(process.env['HOSTS'] !== 'all' || programOf('pi') === undefined)(
  'hooks around model calls in the published Pi',
  () => {
    const pi = realHosts.find(({ name }) => name === 'pi')!;

    test('a hook before a model call keeps it from being made', async () => {
      const deny = says({ decision: 'deny', reason: 'no model today' });
      const { requests, output, made } = await runHost(pi, settings({ 'model.before': deny }));
      expect(requests).toEqual([]);
      expect(output).toContain('no model today');
      expect(made('ran')).toBe(false);
    });

    test('a hook before a model call changes what is sent', async () => {
      const change = `node -e '
        let text = "";
        process.stdin.on("data", (piece) => (text += piece)).on("end", () => {
          const { messages } = JSON.parse(text).llm_request;
          const llm_request = { messages: messages.map((one) => ({ ...one, content: one.content.replaceAll("go", "stay") })) };
          console.log(JSON.stringify({ hookSpecificOutput: { llm_request } }));
        });'`;
      const { requests } = await runHost(pi, settings({ 'model.before': change }));
      expect(requests[0]).toContain('"stay"');
    });

    test('a hook after a model call replaces what the model said', async () => {
      const change = says({
        hookSpecificOutput: {
          llm_response: {
            candidates: [
              { content: { role: 'model', parts: ['something else'] }, finishReason: 'STOP' },
            ],
          },
        },
      });
      const { output } = await runHost(pi, settings({ 'model.after': change }));
      expect(output).toContain('something else');
    });

    test('a hook at the end makes the agent continue', async () => {
      const again = 'test -e again || { touch again; echo "and now?" >&2; exit 2; }';
      const { requests } = await runHost(pi, settings({ 'agent.stop': again }));
      expect(requests.at(-1)).toContain('and now?');
    });
  },
);
