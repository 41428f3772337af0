import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi, type TestContext } from 'vitest';
import { main, starter } from '../support/main.ts';
import { guards, says } from '../support/relay.ts';
import { isAlive } from '../support/until.ts';
import { canaryIn } from './canary.ts';
import { guardOfEveryAgent } from './every-agent.ts';
import { programOf } from './installed.ts';
import { descendantsOf } from './processes-of.ts';
import { realHosts } from './real-host.ts';
import { runHost, startHost } from './run-host.ts';
import { settings } from './settings.ts';
import { toolResultsIn } from './tool-result.ts';

/** `npm run hosts` runs all of these; `npm test` runs one short case for each installed host. */
const isWhole = process.env['HOSTS'] === 'all';

const context = (additionalContext: string): string =>
  says({ hookSpecificOutput: { additionalContext } });

/** Hosts take long to start on a busy machine. */
const until = (isSo: () => boolean): Promise<true> =>
  vi.waitUntil(isSo, { timeout: 200_000, interval: 50 });

type Case = (context: TestContext) => Promise<void>;

/** The cases for one published host. */
export function hostCases(name: string): void {
  const host = realHosts.find((one) => one.name === name)!;
  const { shell, cannot = {}, unserved, waitsForNobody } = host;
  const isThere = programOf(name) !== undefined;

  const short = (title: string, run: Case): void =>
    test(title, (given) => {
      given.skip(!isThere, `${name} is not installed: npm run hosts -- ${name}`);
      return run(given);
    });
  const long = (title: string, run: Case): void =>
    short(title, (given) => {
      given.skip(!isWhole, `only npm run hosts -- ${name} runs it`);
      return run(given);
    });

  describe(`the relay in the published ${name}`, () => {
    short('the relay keeps a tool from running, and the model reads why', async () => {
      const { made, requests } = await runHost(host, settings({ 'tool.before': guards.deny }));
      expect(made('ran')).toBe(false);
      expect(requests.at(-1)).toContain('not here');
    });

    long(
      'the relay lets a tool run that no hook denies, and tells the model what hooks add',
      async () => {
        const { made, requests } = await runHost(
          host,
          settings({
            'prompt.submit': context('of the prompt'),
            'tool.before': 'touch asked',
            'tool.after': context('of the result'),
          }),
        );
        expect([made('asked'), made('ran')]).toEqual([true, true]);
        if (!('prompt' in cannot || 'promptContext' in cannot))
          expect(requests.some((request) => request.includes('of the prompt'))).toBe(true);
        if (!('context' in cannot)) expect(requests.at(-1)).toContain('of the result');
      },
    );

    long('the relay keeps a tool from running if a hook stops the agent', async () => {
      const { made } = await runHost(host, settings({ 'tool.before': guards.stop }));
      expect(made('ran')).toBe(false);
    });

    long('the relay keeps a tool from running if a hook asks and nobody can be asked', async () => {
      const { made, output, kill } = await startHost(
        host,
        settings({ 'tool.before': guards.ask, notify: 'touch waiting' }),
      );
      if (waitsForNobody) {
        await until(() => made('waiting'));
        kill();
      }
      await output;
      expect(made('ran')).toBe(false);
    });

    long('the relay makes a tool run with other arguments', async ({ skip }) => {
      skip('rewrite' in cannot, cannot.rewrite);
      const other = says({ hookSpecificOutput: { tool_input: { command: 'touch other' } } });
      const { made } = await runHost(host, settings({ 'tool.before': other }));
      expect([made('ran'), made('other')]).toEqual([false, true]);
    });

    long('the relay keeps a prompt from the model', async ({ skip }) => {
      skip('prompt' in cannot, cannot.prompt);
      const { made, requests } = await runHost(host, settings({ 'prompt.submit': guards.deny }));
      expect(made('ran')).toBe(false);
      expect(requests).toEqual([]);
    });

    long(
      'the relay lets a tool run if settings are broken and nothing else denies it',
      async () => {
        const { made } = await runHost(host, { '.hookmachine/settings.json': '{ "hooks": [' });
        expect(made('ran')).toBe(true);
      },
    );

    long(
      'the relay denies one of two simultaneous calls if one of two hooks does, and the model reads which',
      async () => {
        // The denial comes last, although it is for the first call.
        const guard = 'case $(cat) in *first*) sleep 1; echo "not here" >&2; exit 2;; esac';
        const { made, requests } = await runHost(
          host,
          settings({ 'tool.before': [guards.allow, guard] }),
          { calls: () => [shell('touch first'), shell('echo second; touch ran')] },
        );
        expect([made('first'), made('ran')]).toEqual([false, true]);
        const results = toolResultsIn(requests.at(-1)!);
        expect(results.get('call_1')).toContain('not here');
        expect(results.get('call_2')).toContain('second');
        expect(results.get('call_2')).not.toContain('not here');
      },
    );

    long(
      'the relay leaves no process if the host is killed while a hook runs',
      async ({ skip }) => {
        skip(!existsSync('/proc/self/stat'), 'processes are looked at in /proc');
        const { pid, project, made, output } = await startHost(
          host,
          settings({ 'tool.before': 'echo $$ > pid; mv pid hook.pid; exec sleep 600' }),
        );
        await until(() => made('hook.pid'));
        const hook = Number(readFileSync(join(project, 'hook.pid'), 'utf8'));
        const under = descendantsOf(pid);
        const relay = under.find(
          ({ line }) => line.includes(`${starter} `) || line.includes(main),
        )!;
        // The hook is a child of the relay or of the warm process.
        const ours = [relay.pid, ...descendantsOf(relay.pid).map((one) => one.pid), hook];
        expect(isAlive(hook)).toBe(true);
        // Some hosts are a launcher and what it launched; the shell between a host and its hook is neither.
        const theirs = [
          pid,
          ...under.filter(({ line }) => !/^\S*sh\s/.test(line)).map((one) => one.pid),
        ];
        for (const one of theirs) if (!ours.includes(one)) end(one);
        await output;
        await until(() => !ours.some(isAlive));
      },
    );

    long(
      'the relay keeps a tool from running if its hooks are served over HTTP',
      async ({ skip }) => {
        skip('http' in cannot, cannot.http);
        const { made, requests } = await runHost(host, settings({ 'tool.before': guards.deny }), {
          serve: 'up',
        });
        expect(made('ran')).toBe(false);
        expect(requests.at(-1)).toContain('not here');
      },
    );

    long(
      `the host ${unserved ?? 'is guarded by commands'} if its HTTP hooks find no server`,
      async ({ skip }) => {
        skip('http' in cannot, cannot.http);
        const { made } = await runHost(host, settings({ 'tool.before': guards.deny }), {
          serve: 'away',
        });
        expect(made('ran')).toBe(unserved === 'runs the tool');
      },
    );

    long('doctor --live sees whether the agent obeys a denial', async ({ skip }) => {
      skip('live' in cannot, cannot.live);
      await canaryIn(host);
    });

    long('the relay guards with examples/every-agent, and the model reads why', () =>
      guardOfEveryAgent(host),
    );
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with another one.
  }
}
