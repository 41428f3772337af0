import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  type Browser,
  type ConsoleMessage,
  type Page,
  type Request,
} from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath } from './chromium.ts';

const artifacts = fileURLToPath(new URL('../../../artifacts/', import.meta.url));

/** The browser of this process, which ends with it. */
let browser: Promise<Browser> | undefined;

/**
 * What a page does not need. The popups of the address bar alone take a second of processor time for each new
 * window, although nobody sees them. The others are the features that playwright-core disables because they
 * would access the network: Chromium obeys only the last such list.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
];

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      // All pages of a browser share one process: starting a new one for each page takes longer than the page
      // itself.
      '--renderer-process-limit=1',
      '--disable-site-isolation-trials',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });

/** Starts the browser unless it is running. */
export async function startBrowser(): Promise<void> {
  if (!(await browser)?.isConnected()) browser = launch();
  await browser;
}

/** Defines tests in a real browser; if there is none, the report says that they were skipped. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(chromiumPath === undefined)(
    chromiumPath ? title : `${title} (skipped: there is no chromium; name one with CHROMIUM)`,
    () => {
      beforeAll(startBrowser);
      tests();
    },
  );
}

/** Pages that no test uses at the moment: making a new page takes as long as most of what is done with it. */
const spare: Page[] = [];

async function takePage(): Promise<Page> {
  const taken = spare.pop();
  if (taken?.isClosed() === false) return taken;
  // Animations would be painted all the time.
  const context = await (await browser!).newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

/** Clears a page of everything that a test has left in it, for the next one. */
async function giveBack(page: Page): Promise<void> {
  await page.unrouteAll();
  // Some pages have no storage.
  await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => undefined);
  await page.goto('about:blank');
  await page.mouse.move(0, 0);
  await page.context().clearCookies();
  await page.context().clearPermissions();
  spare.push(page);
}

/**
 * Opens a page for the running test. Any error or policy violation on the page fails the test unless it is
 * expected; so does a request to any other server.
 */
export async function openPage(
  url: string,
  {
    expected,
    elsewhere,
    viewport = { width: 1_600, height: 950 },
    colorScheme = 'light',
  }: {
    readonly expected?: RegExp;
    /** Requests to other servers that may be made. */
    readonly elsewhere?: RegExp;
    readonly viewport?: { readonly width: number; readonly height: number };
    readonly colorScheme?: 'light' | 'dark';
  } = {},
): Promise<Page> {
  const page = await takePage();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  const onError = (error: Error): void => void complaints.push(error.message);
  const onConsole = (message: ConsoleMessage): void => {
    const text = message.text();
    // A broken stream is reported and resumed.
    if (message.type() !== 'error' || /ERR_(?:CONNECTION|INCOMPLETE)/.test(text)) return;
    if (!expected?.test(text)) complaints.push(text);
  };
  const onRequest = (request: Request): void => {
    const asked = request.url();
    if (elsewhere?.test(asked)) return;
    if (asked !== url.split('#')[0] && !/^(?:about:|data:|http:\/\/127\.0\.0\.1:)/.test(asked))
      complaints.push(`asked ${asked} for something`);
  };
  page.on('pageerror', onError).on('console', onConsole).on('request', onRequest);
  onTestFinished(async () => {
    page.off('pageerror', onError).off('console', onConsole).off('request', onRequest);
    await giveBack(page);
    expect(complaints).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Saves a picture for those who inspect the run. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: `${artifacts}inspector-${name}.png` });
}

/** Returns the texts of all elements that match a selector. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).allTextContents();

/** Returns the states that the page lists as the way of the machine in focus. */
export const way = (page: Page) => (): Promise<string[]> => texts(page, '.way li');

/** Returns the state that this machine is in, or ended in. */
export const current = (page: Page) => (): Promise<string | null> =>
  page.locator('.way [aria-current]').textContent();

/** Returns the state that the open drawing marks as the current one. */
export const drawn = (page: Page) => (): Promise<string | null> =>
  page.locator('.diagram .state.current').last().getAttribute('data-state');

/** Waits until a value on the page is as wanted. */
export const until = (read: () => Promise<unknown>, wanted: unknown): Promise<void> =>
  expect.poll(read, { interval: 40 }).toEqual(wanted);
