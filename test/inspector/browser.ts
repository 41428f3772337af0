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

const artifacts = fileURLToPath(new URL('../../artifacts/', import.meta.url));

/** The one of this process, which ends with it. */
let browser: Promise<Browser> | undefined;

/**
 * What a page does not need. The popups of the address bar alone take a second of processor time with each new
 * window, though nobody sees one. The rest is what playwright-core turns off that would ask the network: Chromium
 * heeds the last list only.
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
      // All of a browser's pages share one process: a new one for each page takes longer than the page.
      '--renderer-process-limit=1',
      '--disable-site-isolation-trials',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });

/** Starts the browser, unless it runs. */
export async function startBrowser(): Promise<void> {
  if (!(await browser)?.isConnected()) browser = launch();
  await browser;
}

/** Tests in a real browser; where there is none, the report says that they were skipped. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(chromiumPath === undefined)(
    chromiumPath ? title : `${title} (skipped: there is no chromium; name one with CHROMIUM)`,
    () => {
      beforeAll(startBrowser);
      tests();
    },
  );
}

/** Pages that no test uses now: to make another one takes as long as most of what is done with it. */
const spare: Page[] = [];

async function takePage(): Promise<Page> {
  const taken = spare.pop();
  if (taken?.isClosed() === false) return taken;
  // What pulses is painted anew all the time.
  const context = await (await browser!).newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

/** Leaves nothing of a test in its page, for the next one. */
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
 * A page of the running test's own. What it complains of, scripts or policies, fails the test, but
 * for what is expected; so does a request to anywhere else.
 */
export async function openPage(
  url: string,
  {
    expected,
    viewport = { width: 1_600, height: 950 },
    colorScheme = 'light',
  }: {
    readonly expected?: RegExp;
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
    // A stream that broke off is reported, and taken up again.
    if (message.type() !== 'error' || /ERR_(?:CONNECTION|INCOMPLETE)/.test(text)) return;
    if (!expected?.test(text)) complaints.push(text);
  };
  const onRequest = (request: Request): void => {
    const asked = request.url();
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

/** Keeps a picture for whoever reads the run. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: `${artifacts}inspector-${name}.png` });
}

/** The texts of all elements that a selector finds. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).allTextContents();

/** Waits until something of the page is so. */
export const until = (read: () => Promise<unknown>, wanted: unknown): Promise<void> =>
  expect.poll(read, { interval: 40 }).toEqual(wanted);
