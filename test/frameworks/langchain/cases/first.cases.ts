import { ToolMessage } from '@langchain/core/messages';
import { createAgent } from 'langchain';
import { describe, expect, test } from 'vitest';
import { hooksMiddleware } from '../../../../src/entries/langchain.ts';
import { projectWith, say, ScriptedChat, write, writeTool } from './kit.ts';

const guard = `
case "$input" in
  *secret*) echo 'no secrets in files' >&2; exit 2;;
  *old.txt*) echo '{"hookSpecificOutput":{"tool_input":{"path":"new.txt","text":"hello"}}}';;
esac`;

describe.each(['invoke', 'stream'] as const)('an agent of LangChain, by %s', (how) => {
  test('a denied tool call does not run, and the model reads why; another call runs with rewritten arguments, the only ones that are shown', async () => {
    const ran: unknown[] = [];
    const model = new ScriptedChat([
      { calls: [write('a.txt', 'secret'), write('old.txt', 'hello', 'call_2')] },
      { text: 'Done.' },
    ]);
    const guarded = hooksMiddleware({ cwd: projectWith({ BeforeTool: guard }) });
    const agent = createAgent({ model, tools: [writeTool(ran)], middleware: [guarded] });
    const shown: unknown[] = [];
    if (how === 'invoke') shown.push(await agent.invoke(say('Write.')));
    else
      for await (const [mode, chunk] of await agent.stream(say('Write.'), {
        streamMode: ['messages', 'values'],
      }))
        shown.push(mode === 'messages' ? chunk[0] : chunk);
    await guarded.end();
    expect(ran).toEqual([{ path: 'new.txt', text: 'hello' }]);
    const results = model.asked[1]!.messages.filter((message) => ToolMessage.isInstance(message));
    expect(results.map(({ content, status }) => [content, status])).toEqual([
      ['no secrets in files', 'error'],
      ['written', 'success'],
    ]);
    expect(JSON.stringify(shown)).toContain('new.txt');
    expect(JSON.stringify(shown)).not.toContain('old.txt');
    expect(JSON.stringify(shown)).toContain('Done.');
  });
});
