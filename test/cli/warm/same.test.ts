import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../../built/cases.ts';
import type { Done } from '../../support/in-process.ts';
import { same } from '../../support/same-answers.ts';
import { sandbox } from '../../support/sandbox.ts';
import { noWarmth, type Warmth, warmth } from '../../support/warm.ts';

const ends: (() => void)[] = [];
let warm: Warmth;
beforeAll(async () => {
  if (noWarmth !== undefined) return;
  warm = warmth((end) => ends.push(end));
});
afterAll(() => {
  for (const end of ends) end();
});

/** Events of several hosts; some of them cannot be judged. */
const events: readonly (readonly [args: readonly string[], input: string])[] = [
  [['claude-code'], JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', cwd: '$CWD', transcript_path: '/t', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'u' })],
  [['gemini-cli'], JSON.stringify({ hook_event_name: 'BeforeTool', session_id: 's', cwd: '$CWD', transcript_path: '/t', timestamp: '2026-01-01T00:00:00Z', tool_name: 'run_shell_command', tool_input: { command: 'ls' } })],
  [['cursor', 'beforeShellExecution'], JSON.stringify({ hook_event_name: 'beforeShellExecution', conversation_id: 'c', generation_id: 'g', command: 'ls', cwd: '$CWD', workspace_roots: ['$CWD'] })],
  [['claude-code'], '{"hook_event_name":"PreToolUse"'],
]; // prettier-ignore

describe.skipIf(noWarmth !== undefined)(
  'the warm process answers as a process of its own would',
  () => {
    test.for(cases.map(([name, one], at) => [name, one, events[at % events.length]!] as const))(
      '%s',
      async ([, { files, env }, [args, event]]) => {
        const box = sandbox();
        const restore = (): void => {
          for (const name of ['project', 'home'])
            // The last event may still leave its stamp.
            rmSync(join(box.folder, name), { recursive: true, force: true, maxRetries: 5 });
          for (const name of ['project', 'home']) box.write(`${name}/.kept`, '');
          for (const [file, content] of Object.entries(files)) {
            if (file.startsWith('etc/')) continue;
            const text = typeof content === 'string' ? content : JSON.stringify(content);
            const path = box.write(file, text.replaceAll('$URL', 'http://127.0.0.1:9'));
            if (text.startsWith('#!')) chmodSync(path, 0o755);
          }
        };
        const input = event.replaceAll('$CWD', box.project);
        const by = async (more: Readonly<Record<string, string>>): Promise<Done> => {
          restore();
          return same(await warm.relay(box, args, input, { ...env, ...more }));
        };
        const cold = await by({ HOOKMACHINE_COLD: '1' });
        // An event whose log is wanted starts none.
        if (warm.pids().length === 0) await warm.relay(box, args, input);
        await warm.started();
        const before = warm.coldRuns();
        expect(await by({})).toEqual(cold);
        // The second event of a folder is judged without a first look.
        expect(await by({})).toEqual(cold);
        // A log that is wanted is written by a process of the event's own.
        expect(warm.coldRuns() - before).toBe(env?.['DEBUG'] === undefined ? 0 : 2);
      },
    );
  },
);
