import { describe, expect, test } from 'vitest';
import { createConfig } from '../../src/hooks/create-config.ts';
import { tempFolder } from '../support/temp-folder.ts';

const judge = `input=$(cat); echo "$input" >> asked
case "$input" in *secret*) echo 'no secrets' >&2; exit 2;; esac`;
const rewrite = `echo '{"hookSpecificOutput":{"tool_input":{"path":"secret"}}}'`;

async function fire(recheck: boolean, ...commands: string[]) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: tempFolder(),
    settings: {
      tools: { enableHooks: true },
      hooksConfig: { recheck },
      hooks: {
        BeforeTool: [{ hooks: commands.map((command) => ({ type: 'command' as const, command })) }],
      },
    },
    onWarning: (line) => warnings.push(line),
  });
  await config.getHookSystem()!.initialize();
  const handler = config.getHookSystem()!.getEventHandler();
  return { ...(await handler.fireBeforeToolEvent('write_file', { path: 'plain' })), warnings };
}

describe('with "recheck": true', () => {
  test('a hook that judged other arguments is asked once more, and may deny', async () => {
    const { finalOutput, results } = await fire(true, judge, rewrite);
    expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no secrets' });
    expect(results.map(({ hook }) => hook.command)).toEqual([judge, rewrite, judge]);
  });

  test('nobody is asked once more where nothing was changed', async () => {
    const { results } = await fire(true, judge, 'true');
    expect(results).toHaveLength(2);
  });

  test('the hook that made the change is not asked about it', async () => {
    const { results } = await fire(true, rewrite);
    expect(results).toHaveLength(1);
  });

  test('who is asked once more cannot change the arguments again', async () => {
    const other = `echo '{"hookSpecificOutput":{"tool_input":{"other":1}}}'`;
    const { finalOutput, results, warnings } = await fire(true, rewrite, other);
    expect(results).toHaveLength(4);
    expect(finalOutput?.hookSpecificOutput?.['tool_input']).toEqual({ path: 'secret', other: 1 });
    expect(warnings.filter((line) => line.includes('asked once more'))).toHaveLength(2);
  });
});

test('without it a judgement of other arguments stands', async () => {
  const { finalOutput, results } = await fire(false, judge, rewrite);
  expect(finalOutput?.isBlockingDecision()).toBe(false);
  expect(results).toHaveLength(2);
});
