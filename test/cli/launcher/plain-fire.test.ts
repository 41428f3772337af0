import { array, constantFrom, tuple } from 'fast-check';
import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { addFire } from '../../../src/cli/fire/fire-command.ts';
import * as fireModule from '../../../src/cli/fire/fire.ts';
import { plainFire } from '../../../src/cli/launcher/plain-fire.ts';
import { holds } from '../../properties/check.ts';

vi.mock(import('../../../src/cli/fire/fire.ts'), () => ({ fire: vi.fn() }));

/** How the whole program reads a command line; undefined when it refuses it. */
async function byProgram(args: readonly string[]) {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addFire(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined }); // prettier-ignore
  const fire = vi.mocked(fireModule.fire).mockClear();
  await program.parseAsync(['fire', ...args], { from: 'user' }).catch(() => undefined);
  const [event, { dialect, ...options }] = fire.mock.calls[0]!;
  return { event, options: { ...options, dialect: dialect.name } };
}

const words = constantFrom('BeforeTool', 'before_tool_call', '--cwd', '--cwd=/x', '/tmp', '--session-id', 's1', '--dialect', 'kodelet', 'llxprt', 'kodelet-strict', '--no-hooks', '--trust', '--', '-', '', '--help', '--record', '--tru', 'constructor', '__proto__'); // prettier-ignore

test('a plain command line is read as the whole program reads it', async () => {
  let plain = 0;
  await holds(
    tuple(constantFrom('BeforeTool', 'agent_stop', ''), array(words, { maxLength: 5 })),
    async ([event, rest]) => {
      // prettier-ignore
      const asked = plainFire([event, ...rest]);
      if (asked === undefined) return;
      plain++;
      const { dialect, ...options } = asked.options;
      expect({ event: asked.event, options: { ...options, dialect: dialect.name } }).toEqual(
        await byProgram([event, ...rest]),
      );
    },
    3_000,
  );
  expect(plain).toBeGreaterThan(100);
});

test.each([
  [],
  ['--help'],
  ['BeforeTool', '--record', 'f'],
  ['BeforeTool', '--cwd'],
  ['BeforeTool', '--cwd', '--trust'],
  ['BeforeTool', '--dialect', 'none'],
  ['BeforeTool', 'more'],
])('a plain fire leaves %j to the whole program', (...args) => {
  expect(plainFire(args)).toBeUndefined();
});
