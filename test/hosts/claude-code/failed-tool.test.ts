import { expect, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { claudeBox, specific } from '../../support/claude-code.ts';
import { quoted } from '../../support/session.ts';

const context = JSON.stringify(specific('PostToolUseFailure', { additionalContext: 'Try glob.' }));
const hooks = (command: string) => [{ hooks: [{ type: 'command', command }] }];

/** Returns what the model reads after one call of our tool. */
async function called(tool: () => Promise<{ llmContent: string; returnDisplay: string }>) {
  const { local, left, project, dialect } = claudeBox();
  const log = 'jq -r "[.hook_event_name, .tool_name, .error] | @csv" >> log';
  local({
    hooks: {
      PostToolUse: hooks(log),
      PostToolUseFailure: [...hooks(log), ...hooks(`printf '%s' ${quoted(context)}`)],
    },
  });
  const config = createConfig({
    cwd: project,
    isTrustedFolder: () => true,
    dialects: [dialect],
    onWarning: () => undefined,
  });
  const { llmContent } = await executeToolWithHooks(config, 'glob', { pattern: '*' }, tool);
  return { llmContent, log: left('log') };
}

test('PostToolUseFailure hooks run for a tool of ours that failed, and for no other tool', async () => {
  const failed = await called(async () => {
    throw new Error('No such folder');
  });
  expect(failed.log).toBe('"PostToolUseFailure","Glob","No such folder"\n');
  expect(failed.llmContent).toBe('No such folder\n\nTry glob.');
  const done = await called(async () => ({ llmContent: 'a', returnDisplay: 'a' }));
  expect(done).toEqual({ llmContent: 'a', log: '"PostToolUse","Glob",\n' });
});
