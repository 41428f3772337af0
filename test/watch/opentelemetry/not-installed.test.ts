import { expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { traceHooks } from '../../../src/entries/opentelemetry.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type * as OptionalPackage from '../../../src/base/optional-package.ts';
import { sandbox } from '../../support/sandbox.ts';

vi.mock('../../../src/base/optional-package.ts', async (original) => ({
  ...(await original<typeof OptionalPackage>()),
  loadPackage: (name: string) =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' }),
    ),
}));

test('missing OpenTelemetry packages are reported once, with the command that installs them, and nothing stops', async () => {
  const box = sandbox();
  const command = 'echo no >&2; exit 2';
  box.write(box.own.system, {
    managed: { audit: { opentelemetry: true } },
    hooks: { BeforeTool: [{ hooks: [{ type: 'command', command }] }] },
  });
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    onWarning: (line) => warnings.push(line),
  });
  for (const _ of [1, 2])
    expect(
      await executeToolWithHooks(config, 'a', {}, () => Promise.reject(new Error('ran'))),
    ).toMatchObject({ llmContent: 'no' });
  (await traceHooks(config.getHookSystem()))();
  config.getHookSystem()?.dispose();
  expect(warnings).toEqual([
    expect.stringMatching(
      /^this session is not traced: @opentelemetry\/api is not installed; install it where hookmachine is installed: npm i @opentelemetry\/api @opentelemetry\/sdk-trace .*otlp-http$/,
    ),
    expect.stringMatching(/^hooks are not traced: .*: npm i @opentelemetry\/api$/),
  ]);
});
