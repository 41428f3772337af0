import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Approval, GivenAnswer } from '../../durable/approvals.ts';
import { oneLine, warn } from '../../base/log.ts';
import { withRecords } from '../parts/durable-options.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { openOption, portOf, untilInterrupted } from '../parts/inspect-option.ts';
import { openInBrowser } from '../parts/open-in-browser.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { counted } from '../../base/counted.ts';

interface ListOptions {
  readonly json?: true;
  readonly all?: true;
  readonly workspace?: string;
}

interface AnswerOptions {
  readonly as?: string;
  readonly note?: string;
  readonly digest?: string;
}

interface InspectOptions {
  readonly port?: string;
  readonly open?: true;
}

const words = ['approve', 'deny', 'withdraw'] as const;

/**
 * `hookmachine approvals`: the questions that durable calls wait for. It needs the database, but no running
 * host.
 */
export function addApprovals(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('list and answer the questions that durable calls wait for');
  approvals
    .command('list')
    .description('list the questions that nobody has answered')
    .option('--all', 'include those that were answered or have expired')
    .option('--workspace <name>', 'only those of one workspace')
    .option('--json', 'one JSON array')
    .action(list);
  approvals
    .command('show')
    .argument('<id>', 'such as ap-7')
    .description('show one question as JSON: the arguments, what each hook said, and the digest')
    .action((id: string) =>
      withRecords(async (records) =>
        print(`${printableJson(await records.approvals.show(id), 2)}\n`),
      ),
    );
  approvals
    .command('answer')
    .argument('<id>', 'such as ap-7')
    .argument('<answer>', words.join(', '))
    .description('answer a question; the first answer counts')
    .option('--as <who>', 'who answers (default: your user name)')
    .option('--note <text>', 'the reason; if the call is denied, the model reads it')
    .option('--digest <sha256>', 'the digest that you were shown: any other is refused')
    .addHelpText(
      'after',
      '\nExit status: 0 accepted, 3 answered or expired already, 1 it could not be answered.',
    ) // prettier-ignore
    .action(giveAnswer);
  approvals
    .command('watch')
    .description('print each question as one line of JSON, until Ctrl-C')
    .action(() =>
      withRecords(async (records) => {
        const stop = new AbortController();
        void untilInterrupted().then(() => stop.abort());
        for await (const approval of records.approvals.watch(stop.signal))
          print(`${printableJson(approval)}\n`);
      }),
    );
  approvals
    .command('inspect')
    .description('list the questions in the browser, where they can be answered too, until Ctrl-C')
    .option('--port <n>', "the page's port on this machine (default: a free one)")
    .option(...openOption)
    .action(inspect);
}

const list = ({ json, all, workspace }: ListOptions): Promise<void> =>
  withRecords(async (records) => {
    const found = await records.approvals.list({ all, workspace });
    if (json) return print(`${printableJson(found, 2)}\n`);
    const waiting = await records.waiting();
    const lines = found.map((approval) => line(approval));
    const unattended = waiting.map(
      (one) =>
        `${counted(one.calls, 'call')} of ${one.workspace} ${one.calls === 1 ? 'is' : 'are'} waiting for a host to continue them\n`,
    );
    print(printable([...lines, ...unattended].join('') || 'nothing is waiting for an answer\n'));
  });

const giveAnswer = (id: string, word: string, { as, note, digest }: AnswerOptions): Promise<void> =>
  withRecords(async (records) => {
    const decision = words.find((one) => one === word);
    if (decision === undefined)
      throw new CommandFailure(`"${word}" is not an answer: use one of ${words.join(', ')}`);
    const by = as ?? userInfo().username;
    const answered = await records.approvals.answer(id, { decision, by, note, digest });
    if (!answered.accepted) process.exitCode = 3;
    print(`${printableJson(answered)}\n`);
  });

async function inspect({ port, open }: InspectOptions): Promise<void> {
  const usedPort = portOf(port, '--port');
  const { serveApprovals } = await import('../../watch/inspector/serve-approvals.ts');
  await withRecords(async (records) => {
    const page = await serveApprovals(records, usedPort);
    process.stderr.write(`hookmachine: ${page.url}#approvals lists them; Ctrl-C ends this\n`);
    if (open)
      void openInBrowser(`${page.ticket()}#approvals`, (problem) => warn(undefined, problem));
    await untilInterrupted();
    await page.close();
  });
}

/** One question on one line. */
function line({ id, tool, hooks, reason, askedAt, expiresAt, answer }: Approval): string {
  const asking = hooks.filter(({ decision }) => decision === 'ask');
  const by = asking.map(({ hook, source }) => `hook "${oneLine(hook, 60)}" (${source})`);
  const why = reason === undefined ? '' : `: ${oneLine(reason, 200)}`;
  const when = answer ? shownAnswer(answer) : `expires in ${span(expiresAt.getTime() - Date.now())}`; // prettier-ignore
  return `${id}  ${tool}  asked by ${by.join(', ') || 'a hook'}${why}  ${span(Date.now() - askedAt.getTime())} ago, ${when}\n`;
}

const shownAnswer = ({ decision, by }: GivenAnswer): string =>
  by === undefined ? decision : `${decision} by ${by}`;

/** A duration, given in ms, in a readable unit. */
function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
