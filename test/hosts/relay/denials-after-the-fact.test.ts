import { describe, expect, test } from 'vitest';
import { knownDialects } from '../../../src/hosts/all/known.ts';
import { hookPoints } from '../../../src/core/points/hook-points.ts';
import { sampleStdin } from '../../../src/workbench/matrix/sample-stdin.ts';
import { relayBox } from '../../support/relay.ts';

const hosts = knownDialects.filter((one) => one.speak && one.name !== 'kodelet-strict');

describe('a denial at an event that our own agent cannot block', () => {
  test.each(hosts)('reaches $name, or the user is told that it does not', async (host) => {
    const box = relayBox();
    const guarded = Object.entries(hookPoints).filter(
      ([, { denial }]) => denial === 'is reported' || denial === 'tells',
    );
    box.guard(Object.fromEntries(guarded.map(([id]) => [id, 'echo "not here" >&2; exit 2'])));
    const ids = new Set(guarded.map(([, { event }]) => event as string));
    const names = Object.keys(host.events).filter((name) => ids.has(host.events[name]!));
    for (const name of names) {
      const given = await sampleStdin(host, name, box.project);
      const named = { hook_event_name: name, event: name, ...given };
      const { stdout, stderr, exitCode } = await box.relay(host.name, named, { event: name });
      const told = [stdout, stderr].map((text) => text.includes('not here'));
      expect([name, exitCode, ...told, stderr]).toEqual([
        name,
        0,
        ...(told[0] ? [true, false] : [false, true]),
        expect.not.stringContaining('cannot be blocked'),
      ]);
    }
  });
});
