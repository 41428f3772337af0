import { appendFileSync, truncateSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  serveRecording,
  type ServeRecordingOptions,
} from '../../../src/watch/inspector/serve-recording.ts';
import { startRecording } from '../../../src/watch/journal/start-recording.ts';
import { callTool } from '../../support/call-tool.ts';
import { inParallel, print } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { current, describeInBrowser, drawn, openPage, picture, texts, until } from './browser.ts';
import { madeRecording, type MadeJournal } from './entries.ts';

function recordingOf(made: MadeJournal | string = {}): string {
  const file = join(tempFolder(), 'session.jsonl');
  writeFileSync(file, typeof made === 'string' ? made : madeRecording(made));
  return file;
}

/** Makes a recording of one call with these hooks. */
async function recordCall(hooks: Parameters<typeof callTool>[0]): Promise<string> {
  const file = join(tempFolder(), 'call.jsonl');
  const recording = startRecording(file);
  await callTool(hooks, { config: { inspect: recording.observe } });
  recording.close();
  return file;
}

const denying = (name: string, why: string) => ({ name, command: `echo ${why} >&2; exit 2` });

async function replay(file: string, options: ServeRecordingOptions = {}): Promise<string> {
  const page = await serveRecording(file, options);
  onTestFinished(() => page.close());
  await page.read;
  return page.url;
}

const source = (page: Page) => () => page.locator('#source').textContent();
const chosen = (page: Page) => () => page.locator('.row.chosen .what').textContent();
const shownCalls = (page: Page) => () => texts(page, '.row.toolCall .what');

describeInBrowser('the page of a recording', () => {
  test('the page of a recording shows its sessions, turns and calls', async () => {
    const page = await openPage(await replay(recordingOf({ turns: 2, payloads: true })));
    await until(source(page), 'Recording');
    await until(() => page.locator('#title').textContent(), 'session.jsonl');
    await until(() => page.locator('#counts').textContent(), '1 session · 20 calls · 2 denied');
    await until(
      async () => (await texts(page, '.row .what')).slice(0, 6),
      ['5e550000', 'SessionStart', '1', 'BeforeAgent', 'some-model', 'read_file'],
    );
    await picture(page, 'replay');
  });

  test('the slider moves the page of a recording through time', async () => {
    const page = await openPage(await replay(recordingOf()));
    await until(source(page), 'Recording');
    await page.getByRole('treeitem', { name: /write_file, blocked/ }).click();
    await until(current(page), 'blocked');
    await page.locator('#time').fill('0');
    await until(() => page.locator('.lead').textContent(), 'At this moment it had not begun.');
    await until(async () => (await page.locator('.row.later').count()) > 5, true);
    await page.getByRole('button', { name: 'Latest' }).click();
    await until(current(page), 'blocked');
    await until(() => page.locator('.row.later').count(), 0);
  });

  test('the page of a recording can play what happened', async () => {
    const page = await openPage(await replay(recordingOf()));
    await until(source(page), 'Recording');
    await page.getByRole('button', { name: 'Play' }).click();
    await until(
      () =>
        page
          .locator('.row.later')
          .count()
          .then((count) => count > 0),
      true,
    );
    await page.locator('#speed').selectOption('100');
    await until(() => page.locator('.row.later').count(), 0);
    await until(() => page.getByRole('button', { name: 'Play' }).count(), 1);
  });

  test('the page of a recording filters by event, tool, decision and text', async () => {
    const page = await openPage(await replay(recordingOf()));
    await until(source(page), 'Recording');
    await page.locator('#filter-decision').selectOption('denied');
    await until(shownCalls(page), ['write_file']);
    await until(() => page.locator('#filter-count').textContent(), '1 call of 10');
    // The call shown beside the list is one in the list.
    await until(chosen(page), 'write_file');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('#filter-tool').selectOption('run_shell_command');
    await until(shownCalls(page), ['run_shell_command', 'run_shell_command']);
    await page.locator('#filter-event').selectOption('AfterTool');
    await page.locator('#filter-decision').selectOption('asked');
    await until(shownCalls(page), ['run_shell_command']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('#filter-text').fill('budget spent');
    await until(shownCalls(page), ['run_shell_command']);
    await page.locator('#filter-text').fill('no such thing');
    await until(() => page.locator('#empty').textContent(), 'No call matches.');
  });

  test('the page of a recording can be used with the keyboard alone', async () => {
    const page = await openPage(await replay(recordingOf()));
    await until(source(page), 'Recording');
    await until(chosen(page), 'write_file');
    await page.keyboard.press('ArrowUp');
    await until(chosen(page), 'read_file');
    await page.keyboard.press('ArrowDown');
    await until(chosen(page), 'write_file');
    await until(current(page), 'done');
    await page.keyboard.press('ArrowLeft');
    await until(current(page), 'afterHooks');
    await page.keyboard.press(']');
    await until(
      () =>
        page
          .locator('.part[aria-pressed=true]')
          .textContent()
          .then((text) => text?.startsWith('BeforeTool')),
      true,
    );
    await until(current(page), 'settled');
    await page.keyboard.press('Home');
    await until(() => page.locator('.lead').textContent(), 'At this moment it had not begun.');
    await page.keyboard.press('End');
    await until(() => page.locator('#live').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('/');
    await page.keyboard.type('budget');
    await until(shownCalls(page), ['run_shell_command']);
    await page.keyboard.press('Escape');
    await until(() => page.evaluate('document.activeElement.id'), 'rows');
    await page.keyboard.press('?');
    await until(() => page.locator('#help-dialog').isVisible(), true);
    await picture(page, 'keys');
    await page.keyboard.press('Escape');
    await until(() => page.locator('#help-dialog').isVisible(), false);
  });

  test('the focused element of the page is visible, and Tab reaches everything in order', async () => {
    const page = await openPage(await replay(recordingOf()));
    await until(source(page), 'Recording');
    await page.getByRole('button', { name: /Keys/ }).focus();
    const reached: string[] = [];
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate('document.activeElement.id || document.activeElement.name'));
      const outline = await page.evaluate<string>(
        'getComputedStyle(document.activeElement.name === "axis" ? document.activeElement.nextElementSibling : document.activeElement).outlineStyle',
      );
      expect(outline).not.toBe('none');
    }
    expect(reached).toEqual([
      'filter-text',
      'filter-event',
      'filter-tool',
      'filter-decision',
      'axis',
      'play',
      'speed',
      'time',
      'live',
      'rows',
      'divider',
      expect.anything(),
    ]);
  });

  test.each(['light', 'dark'] as const)(
    'the page is %s if the system is, and can be switched',
    async (scheme) => {
      const page = await openPage(await replay(recordingOf({ payloads: true })), {
        colorScheme: scheme,
      });
      await until(source(page), 'Recording');
      const isDark = () =>
        page.evaluate<boolean>(
          `Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]) < 60`,
        );
      await until(isDark, scheme === 'dark');
      await page.getByRole('treeitem', { name: /write_file, blocked/ }).click();
      await until(current(page), 'blocked');
      await picture(page, scheme);
      await page.keyboard.press('t');
      await until(isDark, scheme !== 'dark');
      await page.reload();
      await until(isDark, scheme !== 'dark');
    },
  );

  test('the page shows tool names in full at 1360 pixels', async () => {
    const page = await openPage(await replay(recordingOf()), {
      viewport: { width: 1_360, height: 900 },
    });
    await until(source(page), 'Recording');
    await until(() => page.locator('.row.toolCall').count(), 8);
    const cut = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.row .what')]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.textContent)`,
    );
    expect(cut).toEqual([]);
    await picture(page, '1360');
  });

  test('the page says that a denial after the call came too late, and that "ask" lets it pass', async () => {
    const asking = { name: 'asker', command: print({ decision: 'ask', reason: 'sure?' }) };
    const file = await recordCall({
      AfterTool: inParallel(denying('guard', 'too-long'), asking),
    });
    const page = await openPage(await replay(file));
    await until(source(page), 'Recording');
    await until(
      () => page.locator('.lead').textContent(),
      'It ran. A denial came too late and was reported to the model: by guardtoo-long',
    );
    expect(await page.locator('.lead').getAttribute('class')).toBe('lead ask');
    await until(() => texts(page, '.hook-said'), ['denied', 'asked']);
  });

  test('the page shows a denial and a stop of the same event each with its own hook and reason', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        denying('guard', 'not-here'),
        { name: 'fine', command: print({ decision: 'allow', reason: 'all is well' }) },
        denying('rival', 'not-there'),
        { name: 'budget', command: print({ continue: false, stopReason: 'spent' }) },
      ),
    });
    const page = await openPage(await replay(file));
    await until(source(page), 'Recording');
    await until(chosen(page), 'write_file');
    await until(
      () => page.locator('.lead').textContent(),
      'It was denied by guardnot-here and by rivalnot-there',
    );
    await until(
      () => texts(page, '.verdict p'),
      ['Denied by guard and by rival', 'Stopped by budgetspent'],
    );
  });

  test('the page gives each reason once', async () => {
    const file = await recordCall({
      BeforeTool: inParallel(
        denying('guard', 'not-here'),
        { name: 'budget', command: print({ continue: false, stopReason: 'spent' }) },
        { name: 'asker', command: print({ decision: 'ask', reason: 'sure?' }) },
      ),
    });
    const page = await openPage(await replay(file));
    await until(current(page), 'blocked');
    expect((await texts(page, '.detail q')).toSorted()).toEqual(['not-here', 'spent', 'sure?']);
    expect(await page.locator('.call .subject').textContent()).toBe('');
  });

  test('the drawing opens on demand with all of the way in view, and stays open for the next page', async () => {
    const page = await openPage(await replay(recordingOf()), {
      viewport: { width: 1_280, height: 800 },
    });
    await page.getByRole('treeitem', { name: /write_file, blocked/ }).click();
    await until(current(page), 'blocked');
    expect(await page.locator('.diagram').isVisible()).toBe(false);
    await page.keyboard.press('d');
    await until(drawn(page), 'toolCall.blocked');
    // Whatever was visited is within the drawing's area, and that is within the facts.
    const outside = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('.diagram .visited, .diagram')]
        .filter((each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          const box = each.parentElement.closest('.diagram, .facts').getBoundingClientRect();
          return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
        })
        .map((each) => each.dataset.state ?? each.className)`);
    await until(outside, []);
    await picture(page, 'drawing');
    await page.keyboard.press('z');
    await until(() => page.getByRole('button', { name: 'Smaller' }).count(), 1);
    await until(outside, expect.arrayContaining(['toolCall.admitting']));
    // Until the page has followed it here, the address names the call at which it opened.
    await until(async () => page.url().split('#')[1], 'call=made-25');
    await page.reload();
    await until(drawn(page), 'toolCall.blocked');
    await page.keyboard.press('d');
    await until(() => page.locator('.diagram').isVisible(), false);
    // A hook's facts lead to the drawing of its process.
    await page.getByRole('button', { name: 'show its drawing' }).click();
    await until(drawn(page), 'hookProcess.exited');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(
      'Drawing of the machine',
    );
  });

  test('nothing overflows the page at 900 pixels', async () => {
    const page = await openPage(await replay(recordingOf()), {
      viewport: { width: 900, height: 700 },
    });
    await until(source(page), 'Recording');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(900);
    const over = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.top > *, .filters > *, .scrubber > *')]
        .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 900)
        .map((each) => each.outerHTML)`,
    );
    expect(over).toEqual([]);
    await page.locator('.drawing summary').click();
    await until(() => page.locator('.diagram svg').isVisible(), true);
    await picture(page, 'narrow');
  });

  test('the page shows a torn recording as far as it goes, with a notice', async () => {
    const file = recordingOf();
    truncateSync(file, statSync(file).size - 20);
    const page = await openPage(await replay(file));
    await until(
      () => page.locator('#notices').textContent(),
      expect.stringMatching(
        /^Line \d+ of .+ is torn: the process was ended while writing it, so it was skipped; correct or remove/,
      ),
    );
    await until(() => page.locator('.row.toolCall').count(), 8);
  });

  test('the page counts broken lines and shows the others', async () => {
    const file = recordingOf();
    appendFileSync(file, 'nonsense\n'.repeat(7));
    const page = await openPage(await replay(file));
    await until(
      () => texts(page, '#notices p').then((lines) => lines.at(-1)),
      '2 more lines were skipped.',
    );
    await picture(page, 'broken');
  });

  test('the page of a recording that is too large shows its newest part, and says so', async () => {
    const file = recordingOf({ turns: 20 });
    const page = await openPage(
      await replay(file, { limits: { entries: 1_000, bytes: 10_000_000 } }),
    );
    await until(
      () => page.locator('#notices').textContent(),
      expect.stringMatching(
        /^The oldest [\d,]+ entries were dropped: only the newest part is kept/,
      ),
    );
    await until(async () => (await page.locator('.row.toolCall').count()) > 5, true);
  });

  test('a wrong token opens no page', async () => {
    const url = await replay(recordingOf());
    const page = await openPage('about:blank', { expected: /403/ });
    const response = await page.goto(url.replace(/.{5}$/, 'wrong'));
    expect(response?.status()).toBe(403);
    expect(await page.locator('body').textContent()).toContain(
      'the token is missing or not the right one',
    );
  });

  test('a page on another port, to which the browser sends our cookie, can read nothing', async () => {
    const url = await replay(recordingOf());
    const other = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>'),
    );
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const page = await openPage(url, { expected: /CORS|403|ERR_FAILED|frame/i });
    await until(source(page), 'Recording');
    const own = page.url();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    for (const address of [url, own, `${own}journal`]) {
      const read = await page.evaluate<string>(
        `fetch(${JSON.stringify(address)}, { credentials: 'include' })
          .then((response) => response.text(), () => 'refused')`,
      );
      expect(read).toBe('refused');
    }
  });
});

describe('a file that is not a recording', () => {
  test.each([
    ['', /this file is empty/],
    ['hello\n', /not a hookmachine recording/],
    ['{"kind":"recording","format":"hookmachine","version":99}\n', /newer hookmachine/],
  ])('a file with the content %j is refused with an error', async (content, message) => {
    await expect(serveRecording(recordingOf(content))).rejects.toThrow(message);
  });
});
