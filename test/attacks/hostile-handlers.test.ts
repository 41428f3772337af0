import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundledHost } from '../../scripts/bundle-host.ts';
import { hostiles } from './hostile-handlers.ts';
import { installed } from '../support/main.ts';
import type { Policy, Report } from './hostile-host.ts';

/** What `onFailure` says; `npm run package` tries both. */
const policies: readonly Policy[] = installed === undefined ? ['block'] : ['block', 'allow'];

let report: Report;
beforeAll(async () => {
  const host = await bundledHost(new URL('hostile-host.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [host, ...policies], {
    maxBuffer: 1e8,
  });
  report = JSON.parse(stdout) as Report;
});

describe('a host with hostile hooks of every kind', () => {
  test.each(hostiles)('lives on after $name, and its "onFailure" decides', ({ name, end }) => {
    const came = Object.fromEntries(
      report.calls.filter((call) => call.name === name).map((call) => [call.policy, call]),
    );
    const isFailure = end === 'failure';
    const ran = { block: end === 'nothing', allow: end !== 'denial' };
    expect(came).toMatchObject(
      Object.fromEntries(
        policies.map((policy) => [policy, { ran: ran[policy], isReported: isFailure }]),
      ),
    );
  });

  test('sees no uncaught exception and no unhandled rejection', () => {
    expect(report.uncaught).toEqual([]);
  });

  test('has no process and no thread left', () => {
    expect(report).toMatchObject({ processes: 0, threads: 0 });
  });

  test('is never held up for long', () => {
    expect(report.longestPause).toBeLessThan(20_000);
  });
});
