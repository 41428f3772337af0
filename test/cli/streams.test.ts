import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { group, projectWithHooks } from '../support/project.ts';
import { main } from '../support/main.ts';

const event = '{"tool_name":"a","tool_input":{}}';

describe('the exit status of a denial', () => {
  test.each([
    ['when nobody reads stdout', '| true'],
    ['when stdout is full', '> /dev/full'],
    ['when stdout is closed', '>&-'],
    ['when a warning cannot be written', '2> /dev/full'],
    ['when stderr is closed', '2>&-'],
  ])('a denial keeps its exit status %s', async (_, redirection) => {
    const cwd = projectWithHooks({
      BeforeTool: [group('exit 2'), group('echo broken >&2; exit 1')],
    });
    const { exitCode } = await execa(
      'bash',
      ['-c', `set -o pipefail; echo '${event}' | node "${main}" fire BeforeTool ${redirection}`],
      { cwd, reject: false, env: { HOOKMACHINE_TRUST: '1', HOME: cwd }, timeout: 120_000 },
    );
    expect(exitCode).toBe(2);
  });
});
