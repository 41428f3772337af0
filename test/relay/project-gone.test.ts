import { expect, test } from 'vitest';
import { guardedEvents } from '../support/host-events.ts';
import { inProcess } from '../support/in-process.ts';
import { relayBox } from '../support/relay.ts';

test.each([
  ['claude-code', { CLAUDE_PROJECT_DIR: '/gone' }, {}],
  ['gemini-cli', { GEMINI_PROJECT_DIR: '/gone' }, {}],
  ['qwen-code', { QWEN_PROJECT_DIR: '/gone' }, {}],
  ['copilot', { COPILOT_PROJECT_DIR: '/gone' }, {}],
  ['cursor', { CURSOR_PROJECT_DIR: '/gone' }, { workspace_roots: ['/gone/too'] }],
  ['cursor', {}, { workspace_roots: ['/gone'] }],
  ['kodelet', {}, { cwd: '/gone' }],
  ['opencode', {}, { cwd: '/gone' }],
])('an event of %s is denied if the project that it names is gone', async (host, env, named) => {
  const box = relayBox();
  const { event, given, isNamed, denial } = guardedEvents.find((one) => one.host === host)!;
  const { stdout } = await inProcess(
    { project: box.project, env: { ...box.env, ...env } },
    ['relay', host, ...(isNamed ? [event] : [])],
    JSON.stringify({ ...given, ...named }),
  );
  expect(JSON.parse(stdout)).toEqual(
    denial(expect.stringContaining('names the project folder /gone, which does not exist')),
  );
});
