import { expect, onTestFinished, test, vi } from 'vitest';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { History } from '../../../src/watch/inspector/history.ts';
import { startInspector, type Inspectable } from '../../../src/watch/inspector/start-inspector.ts';
import { RedactionError } from '../../../src/settings/redaction/redact-settings.ts';
import { written } from '../../support/call-tool.ts';
import { sandbox } from '../../support/sandbox.ts';
import { startSession } from '../../support/session.ts';
import { enter } from './ask.ts';

/** A session of a project whose settings redact these. */
function session(redact: readonly unknown[] = []) {
  const box = sandbox();
  box.write(box.files.project, { hooksConfig: { redact } });
  return startSession({}, { cwd: box.project });
}

async function started(target: Inspectable, options?: Parameters<typeof startInspector>[1]) {
  const inspector = await startInspector(target, options);
  onTestFinished(() => inspector.close());
  return inspector;
}

const call = (config: HookSystemConfig, input: Record<string, unknown> = {}) =>
  runToolCall(config, { id: 'call-1', name: 'write', input }, () => Promise.resolve(written));

test('an inspector redacts what the settings say in addition to what the host names', async () => {
  const { config, warnings } = await session(['customer', '/sk-\\w+/']);
  const inspector = await started(config, { payloads: true, redact: ['patient'] });
  const { page, cookie } = await enter(inspector.url);
  await call(config, { customer: 'SECRET', patient: 'SECRET', note: 'sk-SECRET', kept: 'KEPT' });
  const response = await fetch(`${page}journal`, { headers: { cookie } });
  await inspector.close();
  const body = await response.text();
  expect(body).toContain('KEPT');
  expect(body).not.toContain('SECRET');
  expect(warnings).toEqual([]);
});

test('a broken redaction rule is reported by an inspector without payloads, and prevents one with payloads', async () => {
  const { config, warnings } = await session(['customer', '/(/']);
  const inspector = await started(config);
  expect(warnings).toEqual([expect.stringContaining('hooksConfig.redact[1]: is not a regular')]);
  await inspector.close();
  const refused = startInspector(config, { payloads: true });
  await expect(refused).rejects.toThrow(RedactionError);
  await expect(refused).rejects.toThrow(
    /settings\.json:\d+:\d+ hooksConfig\.redact\[1\]: is not a regular expression \(.*\); fix it/,
  );
});

test('a broken redaction rule of the host prevents an inspector with payloads too', async () => {
  const { config } = await session();
  const refused = startInspector(config, { payloads: true, redact: ['/(/'] });
  await expect(refused).rejects.toThrow(/broken: redact\[0\]: is not a regular expression/);
});

test.each([
  ['the order they were opened in', [0, 1, 2]],
  ['the other order', [2, 1, 0]],
  ['any order', [1, 0, 2]],
])('after inspectors are closed in %s, the host has its own observer', async (_, order) => {
  const { config } = await session();
  const host = vi.fn();
  config.inspect = host;
  const inspectors = [await started(config), await started(config), await started(config)];
  const seen = vi.spyOn(History.prototype, 'push');
  onTestFinished(() => seen.mockRestore());
  const feeds = async () => {
    seen.mockClear();
    host.mockClear();
    await call(config);
    expect(host).toHaveBeenCalled();
    return new Set(seen.mock.contexts).size;
  };
  expect(await feeds()).toBe(3);
  for (const [closed, index] of order.entries()) {
    await inspectors[index]!.close();
    expect(await feeds()).toBe(2 - closed);
  }
  expect(config.inspect).toBe(host);
});

test('a host that had no observer has none again once its inspectors are closed', async () => {
  const { config } = await session();
  const inspectors = [await started(config), await started(config)];
  for (const inspector of inspectors) await inspector.close();
  expect('inspect' in config).toBe(false);
});

test('an observer that the host has set meanwhile stays, and keeps observing', async () => {
  const { config } = await session();
  const first = await started(config);
  const { inspect } = config;
  const host = vi.fn(inspect);
  config.inspect = host;
  const second = await started(config);
  const seen = vi.spyOn(History.prototype, 'push');
  onTestFinished(() => seen.mockRestore());
  await first.close();
  await call(config);
  expect(new Set(seen.mock.contexts).size).toBe(1);
  await second.close();
  expect(config.inspect).toBe(host);
});

test('a call that is still running when its inspector is closed is no longer reported', async () => {
  const { config } = await session();
  const inspector = await started(config);
  const seen = vi.spyOn(History.prototype, 'push');
  onTestFinished(() => seen.mockRestore());
  await runToolCall(config, { id: 'call-1', name: 'write', input: {} }, async () => {
    await inspector.close();
    seen.mockClear();
    return written;
  });
  inspector.warned('late');
  expect(seen).not.toHaveBeenCalled();
});
