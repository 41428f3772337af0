import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveRecording } from '../../../src/watch/inspector/serve-recording.ts';
import { startRecording } from '../../../src/watch/journal/start-recording.ts';
import { callTool } from '../../support/call-tool.ts';
import { commandInProcess } from '../../support/project.ts';
import { inParallel, print, quoted } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { describeInBrowser, drawn, openPage, picture, texts, until } from './browser.ts';
import { madeRecording, type MadeJournal } from './entries.ts';

function recordingOf(made: MadeJournal = {}, name = 'session.jsonl'): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, madeRecording(made));
  return file;
}

/** Makes a report of recordings with the command. */
async function reportOf(...files: string[]): Promise<string> {
  const output = join(tempFolder(), 'report.html');
  const { stdout, exitCode } = await commandInProcess(['report', ...files, '-o', output]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
  return output;
}

const open = (file: string, hash = ''): Promise<Page> =>
  openPage(`${pathToFileURL(file).href}${hash}`);

const source = (page: Page) => () => page.locator('#source').textContent();
const chosen = (page: Page) => () => page.locator('.row.chosen .what').textContent();
/** The part of an address that names the first call of this tool. */
const linkTo = (tool: string, file: string): string =>
  `#call=${new RegExp(`"name":"${tool}"[^}]*"callId":"([^"]+)"`).exec(readFileSync(file, 'utf8'))![1]!}`;

describeInBrowser('a report', () => {
  test('a report is the page with its data in it, and requests nothing from anywhere', async () => {
    const page = await open(await reportOf(recordingOf({ payloads: true })));
    await until(source(page), 'Recording');
    expect(await texts(page, '.row.toolCall .what')).toContain('run_shell_command');
    await page.locator('.row.toolCall').nth(3).click();
    await until(
      async () => (await page.locator('.facts').textContent())?.includes('off limits'),
      true,
    );
    await page.locator('.drawing summary').click();
    await until(drawn(page), 'toolCall.blocked');
    expect(await page.title()).toBe('session.jsonl · hookmachine inspector');
    expect(await page.evaluate(`document.querySelector('.brand img').naturalWidth`)).not.toBe(0);
    await picture(page, 'report');
  });

  test('a report holds several recordings with everything in them that can be read, and says what cannot', async () => {
    const torn = recordingOf({ sessions: 2, start: Date.UTC(2026, 1, 1) }, 'other.jsonl');
    appendFileSync(torn, '{"kind":');
    const page = await open(await reportOf(recordingOf(), torn));
    await until(source(page), 'Recording');
    expect(await page.locator('#title').textContent()).toBe('session.jsonl, other.jsonl');
    expect(await page.locator('#notices').textContent()).toContain('is torn');
  });

  test('a report opens at the call in its address, and the address follows the chosen call', async () => {
    const file = recordingOf();
    const link = linkTo('write_file', file);
    const page = await open(await reportOf(file), link);
    await until(chosen(page), 'write_file');
    await until(async () => /#call=made-\d+$/.test(page.url()), true);
    const first = page.url();
    await page.locator('.row.toolCall').nth(4).click();
    await until(chosen(page), 'glob');
    await until(async () => page.url() !== first, true);
    await page.reload();
    await until(chosen(page), 'glob');
    await page.evaluate(`location.hash = '${link}'`);
    await until(chosen(page), 'write_file');
  });

  test('a report shows the call of a new address even if it puts the chosen call there at that moment', async () => {
    const file = recordingOf();
    const page = await open(await reportOf(file));
    await until(chosen(page), 'write_file');
    // The page puts it there after a while, whose end no test can choose.
    await page.evaluate(`location.hash = '${linkTo('read_file', file)}';
      history.replaceState(undefined, '', '${linkTo('glob', file)}');`);
    await until(chosen(page), 'read_file');
  });

  test('a report whose address names no call opens at the first call that was denied or failed', async () => {
    const page = await open(await reportOf(recordingOf()), '#call=%E0%A4%A&<b>');
    await until(source(page), 'Recording');
    await until(chosen(page), 'write_file');
  });

  test('a report shows names, reasons, ids and payloads that strangers wrote as plain text', async () => {
    const evil =
      '</script><script>document.title="gone"</script><img src=x onerror="document.title=1"><!--<script>\u2028</template><svg onload="document.title=2">';
    const file = join(tempFolder(), '<img src=x onerror=document.title=3>.jsonl');
    const recording = startRecording(file, { payloads: true });
    const said = { decision: 'deny', reason: evil, systemMessage: evil };
    await callTool(
      {
        BeforeTool: inParallel({ name: evil, command: `${print(said)}; echo ${quoted(evil)} >&2` }),
      },
      {
        input: { [evil]: evil },
        config: { inspect: recording.observe, sessionId: evil },
      },
    );
    recording.warned(evil);
    recording.close();
    // A file may contain what none of our machines writes.
    const entry = {
      at: Date.now(),
      session: evil,
      machine: evil,
      callId: evil,
      payload: { [evil]: [evil] },
    };
    appendFileSync(
      file,
      `${JSON.stringify({ kind: 'started', id: evil, name: evil, ...entry })}\n`,
    );
    appendFileSync(
      file,
      `${JSON.stringify({ kind: 'ended', at: Date.now(), id: evil, status: evil, reason: evil })}\n`,
    );
    appendFileSync(file, `${evil}\n`);
    const html = await reportOf(file);
    const page = await open(html, `#${new URLSearchParams({ call: evil }).toString()}`);
    await until(source(page), 'Recording');
    // The call with the hostile id, as the address names it.
    await until(async () => (await page.locator('.detail').textContent())?.includes(evil), true);
    await page.locator('.row.toolCall').first().click();
    await until(async () => (await page.locator('.facts').textContent())?.includes(evil), true);
    await page.evaluate(
      `for (const each of document.querySelectorAll('.facts details')) each.open = true`,
    );
    expect(await page.locator('.facts pre').allTextContents()).toContainEqual(
      expect.stringContaining('<img src=x onerror='),
    );
    await page.locator('#warnings').click();
    await until(
      async () => (await page.locator('#warning-list').textContent())?.includes(evil),
      true,
    );
    expect(await page.title()).toBe(
      '<img src=x onerror=document.title=3>.jsonl · hookmachine inspector',
    );
    expect(await page.locator('img').count()).toBe(1);
    expect(
      await page
        .locator('svg[onload], [onerror], script:not([data-report]):not([type="module"])')
        .count(),
    ).toBe(0);
    expect(await page.locator('script[type="module"]').count()).toBe(1);
  });

  test('the policy of a report allows only its own script, and no requests', async () => {
    const file = await reportOf(recordingOf());
    // Someone may have changed the file, but not the policy.
    const added = `<script>document.title='gone'</script><img src="http://127.0.0.1:1/x"><p id="p" onclick="document.title='gone'">here</p>`;
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('<dialog', () => `${added}<dialog`),
    );
    const page = await openPage(pathToFileURL(file).href, {
      expected: /Content Security Policy|TrustedHTML/,
    });
    await until(source(page), 'Recording');
    await page.locator('#p').dispatchEvent('click');
    const tried = await page.evaluate(`(async () => {
      const fetched = await fetch('http://127.0.0.1:1/').then(() => 'fetched', ({ message }) => message);
      try {
        document.body.insertAdjacentHTML('beforeend', '<b></b>');
      } catch ({ name }) {
        return [fetched, name];
      }
      return [fetched, 'markup'];
    })()`);
    expect(tried).toEqual([expect.stringMatching(/Failed to fetch/), 'TypeError']);
    expect(await page.title()).toBe('session.jsonl · hookmachine inspector');
  });

  test('a report can be read in a sandbox, as the artifacts of a CI are shown', async () => {
    const html = readFileSync(await reportOf(recordingOf()));
    const server = createServer((_, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'content-security-policy': 'sandbox allow-scripts',
        })
        .end(html),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const page = await openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await until(source(page), 'Recording');
    await page.locator('.row.toolCall').nth(4).click();
    await until(chosen(page), 'glob');
    await page.locator('#theme').click();
  });

  test('a link to a call of a served page survives a reload', async () => {
    const served = await serveRecording(recordingOf());
    onTestFinished(() => served.close());
    const page = await openPage(served.url);
    await until(source(page), 'Recording');
    await page.locator('.row.toolCall').nth(4).click();
    await until(async () => /#call=made-\d+$/.test(page.url()), true);
    await page.reload();
    await until(chosen(page), 'glob');
  });
});

describe('report', () => {
  test('the report command says that the file is written and that it holds payloads, and only its owner may read it', async () => {
    const output = join(tempFolder(), 'r.html');
    const plain = await commandInProcess(['report', recordingOf(), '-o', output]);
    expect(plain).toMatchObject({ exitCode: 0, stderr: `hookmachine: ${output} was written` });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const { stderr } = await commandInProcess([
      'report',
      recordingOf({ payloads: true }),
      '-o',
      output,
    ]);
    expect(stderr).toBe(
      `hookmachine: ${output} was written; it holds arguments, prompts and results: review it before you share it`,
    );
  });

  test.each([
    ['a file that is not a recording', 'notes', /this is not a hookmachine recording/],
    ['an empty file', '', /this file is empty/],
  ])('for %s the report command only prints one clear error', async (_, content, message) => {
    const file = join(tempFolder(), 'r.jsonl');
    writeFileSync(file, content);
    const output = join(tempFolder(), 'r.html');
    const { exitCode, stderr } = await commandInProcess(['report', file, '-o', output]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(() => statSync(output)).toThrow('ENOENT');
  });

  test('the report command does not overwrite the recording', async () => {
    const file = recordingOf();
    const { exitCode, stderr } = await commandInProcess(['report', file, '-o', file]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `hookmachine: -o ${file} is the recording itself: name another file`,
    });
    expect(readFileSync(file, 'utf8')).toBe(madeRecording());
  });

  test('the report command prints one clear error if the file cannot be written', async () => {
    const output = join(tempFolder(), 'nowhere/r.html');
    const { exitCode, stderr } = await commandInProcess(['report', recordingOf(), '-o', output]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hookmachine: -o .*nowhere\/r\.html cannot be written: /);
  });
});
