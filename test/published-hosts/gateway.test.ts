import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveModel, type WantedCall } from '../../src/workbench/doctor/live/model-server.ts';
import { starter } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';
import { pathFor, programOf } from './installed.ts';
import { type RealHost, realHosts } from './real-host.ts';

/** How a host is pointed at a model with its own provider's settings, so that the gateway can take its place. */
interface Through {
  readonly args?: readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, unknown>>;
}

const through: Readonly<Record<string, Through>> = {
  'claude-code': { env: () => ({}) },
  'gemini-cli': { env: () => ({}) },
  'qwen-code': { env: () => ({}) },
  codex: {
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5', 'go'], // prettier-ignore
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: 'none' }),
    files: {},
  },
  copilot: { env: () => ({}) },
  kimi: { env: () => ({}) },
  opencode: {
    args: ['run', 'go', '--model', 'anthropic/claude-sonnet-4-5', '--auto'],
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    files: {
      '.config/opencode/opencode.json': { autoupdate: false, share: 'disabled' },
      '.config/opencode/node_modules/.installed': '',
      '.config/opencode/package-lock.json': {
        packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
      },
    },
  },
};

const { HOSTS, GATEWAY_HOSTS = '' } = process.env;
const chosen = HOSTS === 'all' ? GATEWAY_HOSTS.split(' ') : [];

/** Runs a host through the gateway, with a model that asks for these calls. */
async function run(
  host: RealHost,
  settings: object,
  calls: (body: string) => WantedCall[],
  { prompt = 'go', direct = false }: { readonly prompt?: string; readonly direct?: boolean } = {},
) {
  const box = sandbox();
  const own = through[host.name]!;
  const server = await serveModel(calls);
  onTestFinished(server.close);
  box.write(box.own.user, settings);
  for (const [file, content] of Object.entries(own.files ?? host.files(server.url, box.project)))
    box.write(join(box.home, file), content);
  const args = ['gateway', '--', programOf(host.name)!, ...(own.args ?? host.args)].map((arg) =>
    arg === 'go' ? prompt : arg,
  );
  const { all } = await execa(direct ? args[2]! : starter, direct ? args.slice(3) : args, {
    cwd: box.project,
    env: {
      ...box.env,
      PATH: pathFor(host.name),
      HOOKMACHINE_TRUST: '1',
      NO_COLOR: '1',
      ...host.env(server.url),
      ...own.env(server.url),
    },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 100_000,
  });
  return { ...box, output: all, requests: server.requests };
}

/** A request without what differs in each run: paths, ids and times. */
const plain = (body: string, folder: string): string =>
  body
    .replaceAll(folder, '/box')
    .replaceAll(folder.replaceAll(/[^\w]/g, '-'), '-box')
    .replaceAll(folder.split('-').at(-1)!, 'box')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|(?:msg|ses|prt|cch)[_=]\w+/g, 'id')
    .replaceAll(/\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?|\d{10,}/g, 'time');

describe.each(realHosts.filter(({ name }) => name in through))(
  '$name through the gateway',
  (host) => {
    const isThere = chosen.includes(host.name) && programOf(host.name) !== undefined;

    test.skipIf(!isThere)('works as without it, and its usage is known', async () => {
      const { output, requests } = await run(host, {}, () => [host.shell('touch ran')]);
      expect(requests.length).toBeGreaterThan(1);
      expect(output).toContain('done');
      expect(output).toMatch(/hookmachine: \d+ model calls: \d+ tokens in, \d+ out/);
    });

    // The others find their model otherwise without the gateway, or say something else each time.
    const isSteady = ['claude-code', 'qwen-code', 'copilot'].includes(host.name);

    test.skipIf(!isThere || !isSteady)('asks its model the same as without it', async () => {
      const [direct, gated] = [
        await run(host, {}, () => [host.shell('touch ran')], { direct: true }),
        await run(host, {}, () => [host.shell('touch ran')]),
      ];
      expect(gated.requests.map((body) => plain(body, gated.folder))).toEqual(
        direct.requests.map((body) => plain(body, direct.folder)),
      );
    });

    test.skipIf(!isThere)('is told what a hook says in the place of its model', async () => {
      const { output, requests } = await run(
        host,
        { hooks: { BeforeModel: [{ hooks: [{ type: 'command', command: `cat > /dev/null; echo '{"decision":"deny","reason":"No models today."}'` }] }] } }, // prettier-ignore
        () => [host.shell('touch ran')],
      );
      expect(requests).toEqual([]);
      expect(output).toContain('No models today.');
    });

    test.skipIf(!isThere)(
      'sends no secret, and still uses it where its model wants that',
      async () => {
        const secret = 'k-9f8e7d6c5b4a3210zz';
        const { requests, project } = await run(
          host,
          { guards: { secrets: 'on' } },
          (body) => [
            host.shell(`echo ${/HM_SECRET_[0-9a-f]{16}/.exec(body)?.[0]} > used; cat used`),
          ],
          { prompt: `API_KEY=${secret}` },
        );
        expect(readFileSync(join(project, 'used'), 'utf8').trim()).toBe(secret);
        expect(requests.length).toBeGreaterThan(1);
        for (const body of requests) expect(body).not.toContain(secret);
      },
    );
  },
);
