import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { accounts, type CallAccount } from '../../../src/watch/journal/account.ts';
import type { JournalEntry } from '../../../src/watch/journal/entry.ts';
import { explain } from '../../../src/watch/journal/explain.ts';
import { journalTo } from '../../../src/watch/journal/journal.ts';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';

test('an explanation shows the lanes of an event, and the dialect of a hook with its own name for the event', async () => {
  const entries: JournalEntry[] = [];
  const box = sandbox();
  const more = { sequential: true };
  box.write(box.own.user, hookAt('tool.before', 'echo no >&2; exit 2', more));
  box.write(box.files.user, { enableHooks: true, ...hookAt('BeforeTool', 'true') });
  const { fire } = sessionIn(box, { inspect: journalTo((entry) => entries.push(entry)).observe });
  await fire('BeforeTool', someFields.BeforeTool);
  const calls: CallAccount[] = await Readable.from(accounts(Readable.from(entries))).toArray();
  const [, , ...lines] = explain(calls[0]!).map((line) => line.replaceAll(/\d+ ms/g, 'N ms'));
  expect(lines).toEqual([
    'BeforeTool: 2 hooks, those of llxprt in parallel alongside those of hookmachine one after another, N ms',
    '  1. hook "true" (user) let it pass (exit 0, N ms)',
    '  2. hook "echo no >&2; exit 2" (user, hookmachine tool.before) denied it: no (exit 2, N ms)',
    '  together: blocked by hook "echo no >&2; exit 2" (user, hookmachine tool.before)',
    '',
    'Arguments, texts, and what hooks read and wrote were not recorded: --record-payloads records them.',
  ]);
});

test('each hook is listed with its own answer, even if the second hook of one lane starts after those of another', async () => {
  const entries: JournalEntry[] = [];
  const box = sandbox();
  const denying = { type: 'command', command: 'echo no >&2; exit 2' };
  box.write(box.own.user, {
    hooks: {
      'tool.before': [
        { sequential: true, hooks: [{ type: 'command', command: 'sleep 0.1' }, denying] },
      ],
    },
  });
  box.write(box.files.user, { enableHooks: true, ...hookAt('BeforeTool', 'exit 1') });
  const { fire } = sessionIn(box, { inspect: journalTo((entry) => entries.push(entry)).observe });
  await fire('BeforeTool', someFields.BeforeTool);
  const [call] = await Readable.from(accounts(Readable.from(entries))).toArray();
  const { events } = call as CallAccount;
  expect(events[0]?.hooks.map(({ name, answer }) => [name, answer?.exitCode])).toEqual([
    ['exit 1', 1],
    ['sleep 0.1', 0],
    ['echo no >&2; exit 2', 2],
  ]);
});
