import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Approval, GivenAnswer } from '../../durable/approvals.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { oneLine, warn } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { countOf, withCalls } from '../parts/durable-options.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { openOption, portOf, untilInterrupted } from '../parts/inspect-option.ts';
import { openInBrowser } from '../parts/open-in-browser.ts';
import { parseJsonObject } from '../parts/parse-json-object.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { counted } from '../../base/counted.ts';

/** Which questions a command is about. */
interface Filter {
  readonly workspace?: string;
  readonly tool?: string;
  readonly search?: string;
}

interface ListOptions extends Filter {
  readonly json?: true;
  readonly all?: true;
  readonly limit?: string;
  readonly after?: string;
}

interface AnswerAllOptions extends Filter {
  readonly as?: string;
  readonly note?: string;
  readonly yes?: true;
}

interface AnswerOptions {
  readonly as?: string;
  readonly input?: string;
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
  withFilter(approvals.command('list'))
    .description('list the questions that nobody has answered, oldest first')
    .option('--all', 'include those that were answered or have expired')
    .option('--limit <n>', 'at most so many (default: 100)')
    .option('--after <id>', 'only those that follow this one')
    .option('--json', 'one JSON array')
    .action(list);
  approvals
    .command('show')
    .argument('<id>', 'such as ap-7')
    .description('show one question as JSON: the arguments, what each hook said, and the digest')
    .action((id: string) =>
      withCalls(async (records) =>
        print(`${printableJson(await records.approvals.show(id), 2)}\n`),
      ),
    );
  addAnswering(approvals);
  approvals
    .command('watch')
    .description('print each question as one line of JSON, until Ctrl-C')
    .action(() =>
      withCalls(async (records) => {
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

/** The commands that answer. */
function addAnswering(approvals: Command): void {
  approvals
    .command('answer')
    .argument('<id>', 'such as ap-7')
    .argument('<answer>', words.join(', '))
    .description('answer a question; the first answer counts')
    .option('--as <who>', 'who answers (default: your user name)')
    .option('--note <text>', 'the reason; if the call is denied, the model reads it')
    .option(
      '--input <json>',
      'with approve: other arguments, which the hooks judge before the tool gets them',
    )
    .option('--digest <sha256>', 'the digest that you were shown: any other is refused')
    .addHelpText(
      'after',
      '\nExit status: 0 accepted, 3 answered or expired already, 1 it could not be answered.',
    ) // prettier-ignore
    .action(giveAnswer);
  withFilter(approvals.command('answer-all'))
    .argument('<answer>', words.join(', '))
    .description('give one answer to all questions that nobody has answered, or to some of them')
    .option('--as <who>', 'who answers (default: your user name)')
    .option('--note <text>', 'the reason; if a call is denied, the model reads it')
    .option('--yes', 'answer; without it, the questions are only counted')
    .action(giveAnswers);
}

const withFilter = (command: Command): Command =>
  command
    .option('--workspace <name>', 'only those of one workspace')
    .option('--tool <name>', 'only those about one tool')
    .option('--search <text>', 'only those whose arguments, hooks or call contain this text');

const list = ({ json, all, limit, after, ...filter }: ListOptions): Promise<void> =>
  withCalls(async (records) => {
    const most = countOf('--limit', limit) ?? 100;
    const listed = await records.approvals.list({ ...filter, all, after, limit: most + 1 });
    const found = listed.slice(0, most);
    if (json) print(`${printableJson(found, 2)}\n`);
    else {
      const waiting = await records.waiting();
      const lines = found.map((approval) => line(approval));
      const unattended = waiting.map(
        (one) =>
          `${counted(one.calls, 'call')} of ${one.workspace} ${one.calls === 1 ? 'is' : 'are'} waiting for a host to continue them\n`,
      );
      print(printable([...lines, ...unattended].join('') || 'nothing is waiting for an answer\n'));
    }
    if (listed.length > found.length)
      warn(undefined, `there are more; the next page: --after ${found.at(-1)?.id}`);
  });

/** How many questions are answered before the next ones are read. */
const pageSize = 500;

const giveAnswers = (word: string, { as, note, yes, ...filter }: AnswerAllOptions): Promise<void> =>
  withCalls(async ({ approvals }) => {
    const decision = decisionOf(word);
    const by = as ?? userInfo().username;
    const count = await approvals.count(filter);
    if (!yes) return print(`${counted(count, 'question')} would be answered; add --yes to do so\n`);
    let [accepted, after] = [0, undefined as string | undefined];
    const answer = async ({ id, digest }: Approval): Promise<boolean> => {
      try {
        return (await approvals.answer(id, { decision, by, note, digest })).accepted;
      } catch (error) {
        // Such as one of a newer release: it does not keep the others from being answered.
        if (isHookmachineError(error, 'DATABASE_UNAVAILABLE')) throw error;
        warn(undefined, `${id} could not be answered: ${messageOf(error)}`);
        process.exitCode = 1;
        return false;
      }
    };
    // Questions that are asked meanwhile are not meant.
    for (let left = count; left > 0;) {
      const page = await approvals.list({ ...filter, limit: Math.min(left, pageSize), after });
      if (page.length === 0) break;
      for (const approval of page) if (await answer(approval)) accepted += 1;
      after = page.at(-1)?.id;
      left -= page.length;
    }
    print(`${counted(accepted, 'question')} answered\n`);
  });

/** @throws {CommandFailure} if it is not one of the answers */
function decisionOf(word: string): (typeof words)[number] {
  const decision = words.find((one) => one === word);
  if (decision !== undefined) return decision;
  throw new CommandFailure(`"${word}" is not an answer: use one of ${words.join(', ')}`);
}

const giveAnswer = (
  id: string,
  word: string,
  { as, note, digest, input: text }: AnswerOptions,
): Promise<void> =>
  withCalls(async (records) => {
    const decision = decisionOf(word);
    const by = as ?? userInfo().username;
    const input = text === undefined ? undefined : parseJsonObject(text, '--input');
    const answered = await records.approvals.answer(id, { decision, by, note, digest, input });
    if (!answered.accepted) process.exitCode = 3;
    print(`${printableJson(answered)}\n`);
  });

async function inspect({ port, open }: InspectOptions): Promise<void> {
  const usedPort = portOf(port, '--port');
  const { serveApprovals } = await import('../../watch/inspector/serve-approvals.ts');
  await withCalls(async (records) => {
    const page = await serveApprovals(records, usedPort);
    process.stderr.write(`hookmachine: ${page.url}#approvals lists them; Ctrl-C ends this\n`);
    if (open)
      void openInBrowser(`${page.ticket()}#approvals`, (problem) => warn(undefined, problem));
    await untilInterrupted();
    await page.close();
  });
}

/** One question on one line. */
function line({ id, tool, risk, hooks, reason, askedAt, expiresAt, answer }: Approval): string {
  const asking = hooks.filter(({ decision }) => decision === 'ask');
  const by = asking.map(({ hook, source }) => `hook "${oneLine(hook, 60)}" (${source})`);
  const why = reason === undefined ? '' : `: ${oneLine(reason, 200)}`;
  const when = answer ? shownAnswer(answer) : `expires in ${span(expiresAt.getTime() - Date.now())}`; // prettier-ignore
  const harm = risk === 'high' ? '  high risk' : '';
  return `${id}  ${tool}${harm}  asked by ${by.join(', ') || 'a hook'}${why}  ${span(Date.now() - askedAt.getTime())} ago, ${when}\n`;
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
