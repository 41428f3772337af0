import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endLive } from '../../src/handlers/live.ts';
import { endModule } from '../../src/handlers/module.ts';
import { guardsMost } from '../../src/core/plan/duplicates.ts';
import { sharingKey } from '../../src/core/run/hook-commands.ts';
import { answerOf } from '../handlers/run-handler.ts';
import { definition } from '../support/definition.ts';
import { hookAt, sessionIn } from '../support/own-hooks.ts';
import { sandbox } from '../support/sandbox.ts';
import { tempFolder } from '../support/temp-folder.ts';

const [weak, strong] = (['user', 'system'] as const).map((source) =>
  sharingKey(definition('BeforeTool', { source })),
) as [string, string];

describe('nothing that a weaker level’s hook does reaches a stronger level’s of the same command', () => {
  test('a live hook that crashes', async () => {
    const cwd = tempFolder();
    const command = `[ -e crash ] && exit 1; while read -r line; do echo '{"id":1,"output":{"decision":"deny"}}'; done`;
    const ask = (sharing: string) => answerOf(command, { kind: 'live' }, { cwd, sharing });
    onTestFinished(() => [weak, strong].forEach((sharing) => endLive({ command, cwd, sharing })));
    writeFileSync(join(cwd, 'crash'), '');
    for (let times = 0; times < 3; times++) await ask(weak);
    rmSync(join(cwd, 'crash'));
    expect(await ask(weak)).toMatch(/again and again; it is started again in/);
    expect(await ask(strong)).toEqual({ decision: 'deny' });
  });

  test('a module that changes its state', async () => {
    const cwd = tempFolder();
    const file = 'hook.mjs';
    writeFileSync(join(cwd, file), 'let count = 0; export default () => ({ count: ++count });');
    // A file that has only just been written is loaded for each event.
    await sleep(100);
    const ask = (sharing: string) => answerOf(file, { kind: 'module' }, { cwd, sharing });
    onTestFinished(() =>
      [weak, strong].forEach((sharing) => endModule({ command: file, cwd, sharing })),
    );
    expect([await ask(weak), await ask(weak), await ask(strong)]).toEqual([
      { count: 1 },
      { count: 2 },
      { count: 1 },
    ]);
  });

  test('an answer of a server that may be kept', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      response.setHeader('cache-control', 'max-age=600');
      response.end(JSON.stringify({ asked: ++asked }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = (sharing: string) =>
      answerOf(url, { kind: 'http', allowedUrls: [url] }, { sharing });
    expect([await ask(weak), await ask(weak), await ask(strong)]).toEqual([
      { asked: 1 },
      { asked: 1 },
      { asked: 2 },
    ]);
  });
});

describe('hooks share something only if they have the same authority and do the same', () => {
  /** What decides only when a hook runs, and what its end means. */
  const indifferent: readonly string[] =
    `event nativeEvent matcher if once sequential timeout concurrency retries prestart async wakes
    loopLimit idempotent leftBehind onFailure failsOpen inheritsOnFailure name description place
    dialect enabled`.split(/\s+/);

  test.each(Object.keys(guardsMost))('"%s"', (field) => {
    const other = { ...definition('BeforeTool'), [field]: { changed: true } };
    const isSame = sharingKey(other) === sharingKey(definition('BeforeTool'));
    expect(isSame).toBe(indifferent.includes(field));
  });
});

test('a live guard that is not started yet again after crashes denies each call, and is reported each time', async () => {
  const box = sandbox();
  box.write(
    box.own.user,
    hookAt('BeforeTool', { type: 'live', command: 'exit 1', onFailure: 'block' }),
  );
  const { fire, warnings } = sessionIn(box);
  for (let times = 1; times <= 5; times++) {
    const result = await fire('BeforeTool', { tool_name: 'write_file', tool_input: {} });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(warnings).toHaveLength(times);
  }
});
