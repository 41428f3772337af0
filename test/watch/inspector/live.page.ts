import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import {
  startInspector,
  type InspectorOptions,
} from '../../../src/watch/inspector/start-inspector.ts';
import '../../build.ts';
import { startChat, type ChatOptions } from '../../support/chat.ts';
import { group, inParallel, print } from '../../support/session.ts';
import { saying, wanting, type Turn } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import {
  current,
  describeInBrowser,
  drawn,
  openPage,
  picture,
  texts,
  until,
  way,
} from './browser.ts';

const turns: Turn[] = [
  saying('I write. ', wanting('write', { path: 'a.txt' }, 'call_1')),
  saying(wanting('write', { path: 'secrets/key' }, 'call_2')),
  'Done.',
];

/** Waits for a file in the project, so that the test decides when a hook ends. */
const waitFor = (file: string): string => `until [ -f ${file} ]; do sleep 0.02; done`;

const guard = `case "$(cat)" in *secrets/*) echo "secrets/ is off limits" >&2; exit 2;; esac`;

const hooks = {
  BeforeTool: [
    group([
      { name: 'gate', command: waitFor('go') },
      { name: 'guard', command: guard },
    ]),
  ],
  AfterTool: inParallel({ name: 'audit', command: 'echo noted >&2' }),
};

/** Rewrites an argument. */
const setPath = (path: string): string => print({ hookSpecificOutput: { tool_input: { path } } });

async function chatWithInspector(options: InspectorOptions = {}, more: ChatOptions = {}) {
  const chat = await startChat(turns, { hooks, tools: [someTool('write')], ...more });
  const inspector = await startInspector(chat.config, options);
  onTestFinished(() => inspector.close());
  const go = (): void => writeFileSync(join(chat.folder, 'go'), '');
  return { ...chat, inspector, go };
}

const source = (page: Page) => () => page.locator('#source').textContent();
const names = (page: Page) => () => texts(page, '.row .what');

describeInBrowser('the page of a running session', () => {
  test('the page of a running session shows a call as it runs, and what its hooks did once it has ended', async () => {
    const { run, inspector, go } = await chatWithInspector({ payloads: true });
    const page = await openPage(inspector.url);
    await until(source(page), 'Live');
    await until(() => page.locator('#empty').isVisible(), true);
    const ended = run('Write two files');
    await until(current(page), 'beforeHooks');
    await until(() => page.locator('.lead').textContent(), 'Running: before hooks.');
    await until(() => texts(page, '.part-name'), ['Tool write', 'BeforeTool', 'gate', 'guard']);
    await picture(page, 'live');
    go();
    await ended;
    await until(names(page), [
      expect.any(String),
      '1',
      'some-model',
      'write',
      'some-model',
      'write',
      'some-model',
    ]);
    await page.getByRole('treeitem', { name: /write, blocked/ }).click();
    await until(way(page), ['admitting', 'beforeHooks', 'blocked']);
    // Who denied it and why, what the hook read, and what it wrote.
    for (const fact of ['It was denied by guardsecrets/ is off limits', '"path": "secrets/key"'])
      await until(() => page.locator('.facts').textContent(), expect.stringContaining(fact));
    await until(
      () => texts(page, 'details[data-run]:has-text("guard") .hook-exit'),
      expect.arrayContaining(['exit 2']),
    );
    await picture(page, 'denied');
  });

  test('a screen reader finds the calls, their ends, and what a call did', async () => {
    const { run, inspector, go } = await chatWithInspector();
    go();
    const page = await openPage(inspector.url);
    await run();
    await page.getByRole('treeitem', { name: /write, blocked/ }).click();
    await until(way(page), ['admitting', 'beforeHooks', 'blocked']);
    const tree = await page.locator('body').ariaSnapshot();
    for (const part of [
      'banner:',
      'group "Denied or failed calls"',
      'search "Filter calls"',
      'tree "Sessions, turns and calls"',
      'treeitem "Tool, write, done" [level=3]',
      /treeitem "Tool, write, blocked, denied, guard: secrets\/ is off limits" \[level=3\] \[selected\]/,
      'region "The chosen call"',
      'heading "Tool write blocked" [level=2]',
      /list "Way of toolCall write":\n +- listitem: admitting\n +- listitem: beforeHooks\n +- listitem: blocked/,
    ])
      expect(tree).toMatch(part);
    // No control is without a name.
    expect(tree).not.toMatch(/- (?:button|combobox|searchbox|slider|radio|link)(?: \[|:|$)/m);
    const moment = page.getByRole('slider', { name: 'Moment shown' });
    expect(await moment.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d/);
  });

  test('the drawing of a machine marks the way that was taken', async () => {
    const { run, inspector, go } = await chatWithInspector();
    go();
    const page = await openPage(inspector.url);
    await run();
    await page.getByRole('treeitem', { name: /write, done/ }).click();
    await until(way(page), [
      'admitting',
      'beforeHooks',
      'approving',
      'executing',
      'afterHooks',
      'done',
    ]);
    await page.locator('.drawing summary').click();
    await until(drawn(page), 'toolCall.done');
    const taken = async () => {
      const edges = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.diagram path.edge.taken')]
          .map(({ dataset }) => dataset.from + ' ' + dataset.to)`,
      );
      return edges.toSorted();
    };
    await until(taken, [
      'toolCall.admitting toolCall.beforeHooks',
      'toolCall.afterHooks toolCall.judgingAfter',
      'toolCall.approving toolCall.executing',
      'toolCall.beforeHooks toolCall.judgingBefore',
      'toolCall.executing toolCall.judgingResult',
      'toolCall.judgingAfter toolCall.done',
      'toolCall.judgingBefore toolCall.approving',
      'toolCall.judgingResult toolCall.afterHooks',
    ]);
    await page.locator('.part', { hasText: 'audit' }).click();
    await until(current(page), 'exited');
    await until(drawn(page), 'hookProcess.exited');
  });

  test('the page shows which hook set which field, and which hooks were in conflict', async () => {
    const { run, inspector } = await chatWithInspector(
      {},
      {
        hooks: {
          BeforeTool: inParallel(
            { name: 'one', command: setPath('1') },
            { name: 'two', command: setPath('2') },
          ),
        },
      },
    );
    const page = await openPage(inspector.url);
    await run();
    await page
      .getByRole('treeitem', { name: /write, done/ })
      .first()
      .click();
    await until(() => texts(page, '.sets tr'), ['tool_input.pathtwo']);
    await until(
      () => page.locator('.conflict').textContent(),
      'conflicttool_input.path set by one, two; two wins, being last in the plan',
    );
  });

  test('the page without payloads says that they are off and how to switch them on', async () => {
    const { run, inspector, go } = await chatWithInspector();
    go();
    const page = await openPage(inspector.url);
    await run('a secret prompt');
    await page.getByRole('treeitem', { name: /write, blocked/ }).click();
    await page.getByRole('button', { name: 'How to switch them on' }).click();
    await until(() => page.locator('#payloads-dialog').isVisible(), true);
    expect(await page.locator('#payloads-dialog').textContent()).toContain('--inspect-payloads');
    expect(await page.content()).not.toMatch(/secrets\/key|secret prompt/);
  });

  test('a page that is reloaded during a run shows everything from before and after exactly once', async () => {
    const { run, inspector, go } = await chatWithInspector();
    const page = await openPage(inspector.url);
    const ended = run();
    await until(current(page), 'beforeHooks');
    await page.reload();
    await until(current(page), 'beforeHooks');
    await until(async () => (await names(page)()).slice(1), ['1', 'some-model', 'write']);
    go();
    await ended;
    await until(
      async () => (await names(page)()).slice(1),
      ['1', 'some-model', 'write', 'some-model', 'write', 'some-model'],
    );
  });

  test('a page that is open when the session ends says so and stays readable', async () => {
    const { run, inspector, go } = await chatWithInspector();
    go();
    const page = await openPage(inspector.url);
    await until(source(page), 'Live');
    await run();
    await inspector.close();
    await until(source(page), 'Session ended');
    await until(
      () => page.locator('#notices').textContent(),
      expect.stringContaining('The session has ended.'),
    );
    await page.getByRole('treeitem', { name: /write, blocked/ }).click();
    await until(
      () => page.locator('.call h2').textContent(),
      expect.stringMatching(/write.*blocked/),
    );
    await picture(page, 'ended');
  });

  test('a page whose process was killed says so and stays readable', async () => {
    const program = `
      import { createConfig } from 'hookmachine';
      import { startInspector } from 'hookmachine/inspector';
      const config = createConfig({
        cwd: '.',
        settings: { tools: { enableHooks: true }, hooks: { Notification: [{ hooks: [{ type: 'command', command: 'true' }] }] } },
      });
      console.log((await startInspector(config, { holdsProcess: true })).url);
      const system = config.getHookSystem();
      await system.initialize();
      await system.getEventHandler().fireNotificationEvent('ToolPermission', 'May I?', {});`;
    const running = execa('node', ['--input-type=module', '--eval', program], { reject: false });
    onTestFinished(() => void running.kill('SIGKILL'));
    const url = await new Promise<string>((resolve) =>
      running.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
    );
    const page = await openPage(url);
    await until(names(page), [expect.any(String), 'Notification']);
    await page.getByRole('treeitem', { name: /Notification/ }).click();
    await until(current(page), 'settled');
    running.kill('SIGKILL');
    await until(source(page), 'Connection lost');
    await until(
      () => page.locator('#notices').textContent(),
      expect.stringContaining('What was received stays'),
    );
    await page.getByRole('treeitem', { name: /Notification/ }).click();
    await until(current(page), 'settled');
  });

  test('text from a model or a hook is never treated as markup', async () => {
    const evil = '<img src=x onerror="document.title=1">';
    const { run, inspector } = await chatWithInspector(
      { payloads: true },
      {
        hooks: {
          BeforeTool: inParallel({ name: evil, command: `echo '${evil}' >&2; exit 2` }),
        },
      },
    );
    const page = await openPage(inspector.url);
    await run(evil);
    await page
      .getByRole('treeitem', { name: /write, blocked/ })
      .first()
      .click();
    await until(async () => (await page.locator('.facts').textContent())?.includes(evil), true);
    expect(await page.locator('.detail img').count()).toBe(0);
    expect(await page.title()).toMatch(/hookmachine inspector$/);
  });

  test('the page shows warnings, and without payloads only what quotes nobody', async () => {
    const { inspector } = await chatWithInspector();
    const page = await openPage(inspector.url);
    inspector.warned('hook x: it printed a secret', { text: 'hook x: it did something odd' });
    inspector.warned('hook y: it printed a secret');
    await page.getByRole('button', { name: '2 warnings' }).click();
    await until(
      () => texts(page, '#warning-list li'),
      [
        expect.stringContaining('hook x: it did something odd'),
        expect.stringContaining('There was a warning.'),
      ],
    );
  });
});

test('an earlier observer keeps observing beside the page, and alone once the page is closed', async () => {
  const seen: string[] = [];
  const chat = await startChat(['Hi'], { config: { inspect: ({ type }) => void seen.push(type) } });
  const { inspect } = chat.config;
  const inspector = await startInspector(chat.config);
  await chat.run();
  expect(seen.length).toBeGreaterThan(0);
  await inspector.close();
  expect(chat.config.inspect).toBe(inspect);
});
