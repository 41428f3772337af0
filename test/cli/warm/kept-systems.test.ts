import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inSurroundings } from '../../../src/base/surroundings.ts';
import { KeptSystems } from '../../../src/cli/warm/kept-systems.ts';
import { fireIn, hooksConfig } from '../../../src/hosts/relay/run-hooks.ts';
import { knownDialects } from '../../../src/hosts/all/known.ts';
import { sandbox } from '../../support/sandbox.ts';
import { isAlive } from '../../support/until.ts';

test('a live hook stays until its folder has had no event for long, which is between events', async () => {
  const box = sandbox();
  const answer = `printf '{"id":%s,"output":{"systemMessage":"%s"}}\\n' "$(printf %s "$line" | grep -o '"id":[0-9]*' | head -1 | cut -d: -f2)" $$`;
  box.write(box.own.project, {
    hooks: {
      'tool.before': [
        { hooks: [{ type: 'live', command: `while read -r line; do ${answer}; done` }] },
      ],
    },
  });
  const kept = new KeptSystems();
  const around = {
    env: { ...process.env },
    folder: box.project,
    writeError: () => undefined,
    beforeHook: () => undefined,
  };
  const ask = () =>
    inSurroundings(around, async () => {
      const whose = { hooks: true, trust: true as const };
      const config = await hooksConfig({ folder: box.project }, knownDialects, whose, {});
      const fields = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
      const event = {
        event: 'BeforeTool' as const,
        fields,
        context: {},
        folder: box.project,
        canAsk: false,
      };
      const { result } = await fireIn(config, event);
      kept.keep(config.getHookSystem()!, box.project);
      return Number(result.verdict.message);
    });
  const pid = await ask();
  expect([await ask(), isAlive(pid)]).toEqual([pid, true]);
  kept.dropIdle(60_000);
  expect(kept.hadHooks(box.project)).toBe(true);
  await pause(20);
  kept.dropIdle(10);
  expect(kept.hadHooks(box.project)).toBe(false);
  await expect.poll(() => isAlive(pid)).toBe(false);
});
