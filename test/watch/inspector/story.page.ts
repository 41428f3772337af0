import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { serveRecording } from '../../../src/watch/inspector/serve-recording.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { describeInBrowser, openPage, picture, texts, until } from './browser.ts';
import { madeEntries, madeRecording, type MadeJournal } from './entries.ts';

async function openRecording(
  content: string,
  options?: Parameters<typeof openPage>[1],
): Promise<Page> {
  const file = join(tempFolder(), 'session.jsonl');
  writeFileSync(file, content);
  const served = await serveRecording(file);
  onTestFinished(() => served.close());
  await served.read;
  const page = await openPage(served.url, options);
  await until(() => page.locator('#source').textContent(), 'Recording');
  return page;
}

const open = (made: MadeJournal = {}): Promise<Page> => openRecording(madeRecording(made));

const chosen = (page: Page) => () => page.locator('.row.chosen').getAttribute('aria-label');
const lead = (page: Page) => () => page.locator('.lead').allInnerTexts();
const denied = 'Tool, write_file, blocked, changed, denied';

/** What a stranger might write anywhere to make a page run it. */
const evil =
  '"><img src=x onerror="window.ran=1"><svg onload="window.ran=2"></script><script>window.ran=3</script>' +
  "'-(window.ran=4)-' javascript:window.ran=5 {{window.ran=6}} \u202e";

/**
 * Prefixes it to everything that the writer of a journal chooses: names, ids, reasons, commands, keys and
 * payloads.
 */
function hostile(value: unknown, key = ''): unknown {
  if (['kind', 'machine', 'mode', 'decision', 'status', 'to', 'from'].includes(key)) return value;
  if (typeof value === 'string') return evil + value;
  if (Array.isArray(value)) return value.map((each) => hostile(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      ['payload', 'setBy', 'output'].includes(key) ? evil + name : name,
      hostile(each, name),
    ]),
  );
}

describeInBrowser('the story that the page tells', () => {
  test('rows say what a call was about', async () => {
    const page = await open({ payloads: true });
    const subjects = await texts(page, '.row .subject');
    expect(subjects).toContain('src/part-0.ts');
    expect(subjects).toContain('npm test -- part-2');
    expect(subjects).toContain('Let me look.');
  });

  test('rows without payloads name the hook that decided, and its reason', async () => {
    const page = await open();
    const subjects = await texts(page, '.row.toolCall .subject');
    expect(subjects).toEqual([
      '',
      'audit.js: exit 1: Cannot find module ./log.js',
      '',
      'guard.py: secrets/ is off limits',
      '',
      'lint.sh: took too long',
      'budget.sh: The budget of this session is spent.',
      'the user pressed Ctrl-C',
    ]);
  });

  test('the banner says what hooks changed and which of them failed, with a diff, and is not green', async () => {
    const page = await open({ payloads: true });
    await until(lead(page), [
      expect.stringMatching(
        /^It ran, with content changed by headers\.py\.\s+1 hook failed: audit\.js\s/,
      ),
    ]);
    expect(await page.locator('.lead').getAttribute('class')).toBe('lead fail');
    expect(await page.locator('.call .badge').getAttribute('class')).toBe('badge big fail');
    expect(await texts(page, '.lead ins')).toEqual(['// By headers.py.\n']);
  });

  test('the page opens at the first call that was denied or failed, and keys and buttons lead to the others', async () => {
    const page = await open();
    await until(chosen(page), expect.stringContaining('failed'));
    await page.keyboard.press('n');
    await until(chosen(page), expect.stringContaining(denied));
    await page.getByRole('button', { name: 'Next denied or failed call' }).click();
    await until(chosen(page), expect.stringContaining('replace'));
    await page.keyboard.press('p');
    await until(chosen(page), expect.stringContaining(denied));
    // The address names the hook in focus, even after a reload.
    const hook = page.locator('.part', { hasText: 'guard.py' });
    await hook.click();
    const link = `#call=${await hook.getAttribute('data-focus')}`;
    await until(() => Promise.resolve(new URL(page.url()).hash), link);
    await page.reload();
    await until(chosen(page), expect.stringContaining(denied));
    await until(() => texts(page, '.part[aria-pressed=true] .part-name'), ['guard.py']);
  });

  test('the page marks the words of a search', async () => {
    const page = await open();
    await page.locator('#filter-text').fill('limits secrets');
    await until(chosen(page), expect.stringContaining(denied));
    const hits = () =>
      page.evaluate<string[]>(`[...(CSS.highlights.get('hit') ?? [])].map(String)`);
    await until(async () => new Set(await hits()), new Set(['secrets', 'limits']));
    await page.getByRole('button', { name: 'Clear' }).click();
    await until(hits, []);
  });

  test('the page has figures for each hook, which lead to its calls', async () => {
    const page = await open({ payloads: true });
    await page.getByRole('button', { name: 'Figures' }).click();
    await until(
      async () => (await texts(page, '#figures tr')).find((row) => row.startsWith('audit.js')),
      'audit.jsAfterTool10119 ms19 ms19 ms',
    );
    await picture(page, 'figures');
    await page.getByRole('button', { name: 'budget.sh' }).click();
    await until(() => page.locator('#filter-count').textContent(), '1 call of 10');
  });

  test('the page copies a command that repeats a call or an event', async () => {
    const page = await open({ payloads: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Copy as command' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    await page.getByRole('treeitem', { name: /read_file/ }).click();
    expect(await copied()).toBe(
      String.raw`hookmachine tool --input '{"file_path":"src/part-0.ts","content":"export const part = 1;\n"}' read_file`,
    );
    await page.locator('.part', { hasText: 'guard.py' }).click();
    await page.getByRole('button', { name: 'Copy as command' }).waitFor();
    expect(await copied()).toBe(
      `printf %s '{"hook_event_name":"BeforeTool","session_id":"5e550000-0000-4000-8000-000000000000"}' | hookmachine fire --hook guard.py BeforeTool`,
    );
  });

  test('everything on the page that can be focused has a name for screen readers', async () => {
    const page = await open({ payloads: true });
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    await session.detach();
    const nameless = nodes.filter(
      ({ ignored, name, properties, role }) =>
        !ignored &&
        role?.value !== 'RootWebArea' &&
        properties?.some((property) => property.name === 'focusable' && property.value.value) &&
        (name?.value as string | undefined)?.trim() === '',
    );
    expect(nameless.map(({ role }) => role?.value as unknown)).toEqual([]);
    expect(nodes.filter(({ role }) => role?.value === 'treeitem').length).toBeGreaterThan(5);
  });

  test('nothing on the page is cut off on small or large screens, or at 200 %', async () => {
    const page = await open({ payloads: true });
    // The third size is 1280 by 720 at 200 %.
    const sizes = [
      [360, 740],
      [768, 1_024],
      [640, 360],
      [1_280, 800],
      [1_920, 1_080],
    ] as const;
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      const cut = () =>
        page.evaluate<
          string[]
        >(`[...document.querySelectorAll('button, select, label, h2, .lead, .way, summary, #moment')]
          .filter((each) => each.checkVisibility() && !each.closest('dialog'))
          .filter((each) => {
            const { left, right } = each.getBoundingClientRect();
            const isOut = (left < 0 || right > innerWidth + 1) && !each.closest('.trail');
            return isOut || (each.matches('button.quiet, .lead') && each.scrollWidth > each.clientWidth + 1);
          })
          .map((each) => each.outerHTML.slice(0, 100))`);
      await until(cut, []);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      // The whole page can be reached: either it fits, or it scrolls.
      expect(
        await page.evaluate<boolean>(
          `document.body.scrollHeight <= innerHeight || getComputedStyle(document.body).overflowY === 'visible'`,
        ),
      ).toBe(true);
      await picture(page, `${width}`);
    }
  });

  test('the page shows names, reasons, session ids and payloads as plain text', async () => {
    const entries = [...madeEntries({ payloads: true })].map((entry) => hostile(entry));
    const header = { kind: 'recording', format: 'hookmachine', version: 1, at: 0, payloads: true };
    const lines = [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`);
    const page = await openRecording(lines.join(''));
    const title = await page.title();
    await until(() => page.locator('.row.toolCall').count(), 8);
    for (let row = 0; row < 16; row++) {
      await page.keyboard.press(row === 0 ? 'PageUp' : 'ArrowDown');
      await until(() => page.locator('.row.chosen').count(), 1);
      await page.evaluate(
        `for (const each of document.querySelectorAll('details')) each.open = true`,
      );
    }
    await page.getByRole('treeitem', { name: /read_file/ }).click();
    await until(async () => (await page.locator('.facts').textContent())?.includes(evil), true);
    await page.locator('.part').nth(2).click();
    await page.getByRole('button', { name: 'Copy as command' }).click();
    await page.locator('#filter-text').fill('window.ran=1');
    await until(() => page.locator('#filter-count').textContent(), '10 calls of 10');
    await page.locator('#filter-tool').selectOption({ index: 1 });
    await page.locator('#warnings').click();
    await until(
      async () => (await page.locator('#warning-list').textContent())?.includes(evil),
      true,
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Figures' }).click();
    await until(async () => (await page.locator('#figures').textContent())?.includes(evil), true);
    await picture(page, 'hostile');
    // One picture, one script and the drawing, all of them the page's own.
    const made = await page.evaluate(`({
      ran: String(window.ran),
      pictures: document.querySelectorAll('img').length,
      scripts: document.querySelectorAll('script').length,
      handlers: [...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith('on')),
      links: document.querySelectorAll('a, iframe, object, embed, base, form[action]').length,
    })`);
    expect(made).toEqual({ ran: 'undefined', pictures: 1, scripts: 1, handlers: [], links: 0 });
    expect(await page.title()).toBe(title);
  });
});
