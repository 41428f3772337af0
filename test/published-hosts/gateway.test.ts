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
  prompt = 'go',
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
  const { all } = await execa(starter, args, {
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
          `API_KEY=${secret}`,
        );
        expect(readFileSync(join(project, 'used'), 'utf8').trim()).toBe(secret);
        expect(requests.length).toBeGreaterThan(1);
        for (const body of requests) expect(body).not.toContain(secret);
      },
    );
  },
);
