import { expect, test, vi } from 'vitest';
import { guardTool, hooksMiddleware } from '../../../src/entries/ai-sdk.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { group, projectWithHooks } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { resultsIn, type Suite } from './agent.ts';
import { loadSdk, type Fields, type Said } from './sdk.ts';

const rewrite = print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } });
const stop = print({ continue: false, stopReason: 'enough' });
/** Denies one path, stops the agent at another, and rewrites all others. */
const guard = `case $(jq -r .tool_input.path) in no) echo 'not here' >&2; exit 2;; end) ${stop};; *) ${rewrite};; esac`;

const wants = (path: string): Said => ({ calls: [[path, 'write', { path }]] });

/** The middleware and the tool by themselves, with one config. */
export function parts({ version, mode }: Suite): void {
  test('a model with the middleware and a guarded tool share their hooks', async () => {
    const sdk = await loadSdk(version);
    const { ai } = sdk;
    const cwd = projectWithHooks({ BeforeTool: [group(guard)] });
    const config = createConfig({ cwd, isTrustedFolder: () => true });
    const mock = sdk.model([wants('no'), wants('a.txt'), wants('end')]);
    const write = vi.fn((_input: Fields) => 'written');
    const tool = ai.tool({ inputSchema: ai.jsonSchema({ type: 'object' }), execute: write });
    const asked = {
      model: ai.wrapLanguageModel({ model: mock, middleware: hooksMiddleware({ config }) }),
      tools: { write: guardTool(tool, { name: 'write', config }) },
      prompt: 'Go',
      stopWhen: ai.stepCountIs(9),
    };
    const ended = mode === 'generated' ? await ai.generateText(asked) : ai.streamText(asked);
    expect(await ended.text).toBe('enough');
    expect(write.mock.calls.map(([input]) => input)).toEqual([{ path: 'b.txt' }]);
    const requests = mode === 'generated' ? mock.doGenerateCalls : mock.doStreamCalls;
    expect(requests).toHaveLength(3);
    expect(resultsIn(requests[2]!)).toEqual([
      { type: 'error-text', value: 'not here' },
      { type: 'text', value: 'written' },
    ]);
  });
}
