import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { knownDialects, presentDialects } from '../../hosts/all/known.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { accounts, type CallAccount, type EventAccount } from '../../watch/journal/account.ts';
import { compareEvents } from '../../watch/journal/compare-events.ts';
import type { JournalEntry } from '../../watch/journal/entry.ts';
import { journalTo } from '../../watch/journal/journal.ts';
import { readRecording } from '../../watch/journal/read-recording.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import { isRecord } from '../../base/json.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { edited } from './edited.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { findCalls } from '../parts/find-calls.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { redactionIn } from '../parts/redaction-in.ts';
import { fireIn, hooksConfig } from '../../hosts/relay/run-hooks.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly cwd: string;
  readonly hook?: string;
  readonly edit?: true;
  readonly dialects?: readonly Dialect[];
  readonly trust?: true;
  readonly json?: true;
}

type Fields = Readonly<Record<string, unknown>>;

/** `hookmachine replay FILE CALL`: what the hooks of a recorded call say about it today. */
export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('<file>', 'a recording, made with --record and --record-payloads')
    .argument(
      '<call>',
      'a tool call id, an entry id, or a number of the list of hookmachine explain',
    )
    .description("run a recorded call's hooks again as they are now, and show what differs")
    .option('--hook <name>', 'run only this hook')
    .option('--edit', 'first edit what hooks are given, in $VISUAL or $EDITOR')
    .option('--cwd <dir>', 'the project folder whose hooks run', process.cwd())
    .option(...dialectsOption)
    .option(...trustOption)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The hooks really run, in a session of their own; tools and models do not. Hooks receive what was
redacted in the recording in its redacted form.

Exit status: 0 nothing differs, 2 something does, 1 the command could not do its work.

Example:
  hookmachine replay session.jsonl 4 --hook no-env --edit`,
    )
    .action(replay);
}

async function replay(file: string, wanted: string, options: Options): Promise<void> {
  const folder = projectFolder(options.cwd);
  const calls = await findCalls(accounts(readRecording(file)), wanted).catch((error: Error) => {
    if (isHookmachineError(error, 'RECORDING_INVALID'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  });
  const [call, other] = calls;
  if (call === undefined)
    throw new CommandFailure(
      `${file}: there is no call "${wanted}"; hookmachine explain ${file} lists them`,
    );
  if (other)
    throw new CommandFailure(
      `${file}: "${wanted}" is #${calls.map(({ index }) => index).join(' and #')}: name one of them by its entry id`,
    );
  const events = eventsOf(file, call, options.hook);
  const outcomes = [];
  const given = [];
  // Nothing runs before the user has finished editing.
  for (const { event, given: recorded } of events) {
    const fields = ownFields(recorded as Fields);
    given.push(options.edit ? await editedFields(event, fields) : fields);
  }
  for (const [at, recorded] of events.entries()) {
    const now = await runAgain(recorded.event, given[at]!, call, folder, options);
    outcomes.push({ event: recorded.event, now, differences: compareEvents(recorded, now) });
  }
  process.exitCode = outcomes.some(({ differences }) => differences.length > 0) ? 2 : 0;
  const lines = outcomes.flatMap(({ event, now, differences }) =>
    differences.length === 0
      ? [`${event}: nothing differs (${counted(now.hooks.length, 'hook')})`]
      : [`${event}:`, ...differences.map((text) => `  ${text}`)],
  );
  process.stdout.write(
    options.json
      ? `${printableJson(outcomes, 2)}\n`
      : lines.map((line) => `${printable(line.replaceAll('\n', ' '))}\n`).join(''),
  );
}

/** The events whose hooks can run again. */
function eventsOf(file: string, call: CallAccount, hook: string | undefined): EventAccount[] {
  if (call.events.length === 0)
    throw new CommandFailure(
      `${file}: no hook ran at #${call.index}, so there is none to run again`,
    );
  const given = call.events.filter((event) => isRecord(event.given));
  if (given.length === 0)
    throw new CommandFailure(
      `${file}: the input of the hooks of #${call.index} was not recorded: record it with --record-payloads`,
    );
  if (hook === undefined) return given;
  const only = given
    .map((event) => ({ ...event, hooks: event.hooks.filter(({ name }) => name === hook) }))
    .filter(({ hooks }) => hooks.length > 0);
  if (only.length === 0)
    throw new CommandFailure(
      `${file}: at #${call.index} there was no hook "${hook}": use one of ${[...new Set(given.flatMap(({ hooks }) => hooks.map(({ name }) => `"${name}"`)))].join(', ')}`,
    );
  // The merged verdict of all hooks is not the verdict of one of them.
  return only.map(({ verdict: _, ...event }) => event);
}

/** The fields that every event has; only an event's own fields are given again. */
const base = new Set(['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp']);

const ownFields = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !base.has(name)));

/** Lets the user edit an event's fields; hooks must be able to receive the result. */
const editedFields = (event: string, fields: Fields): Promise<Fields> =>
  edited(event, fields, async (given) => {
    const ours = knownDialects[0]!;
    if (!Object.hasOwn(ours.events, event)) return;
    const read = await ours.readCall(event, given);
    if ('faults' in read)
      throw new CommandFailure(
        `the edited input does not match ${event}: ${read.faults.join('; ')}`,
      );
  });

async function runAgain(
  event: string,
  fields: Fields,
  { callId }: CallAccount,
  folder: string,
  { hook, dialects = presentDialects, trust }: Options,
): Promise<EventAccount> {
  const entries: JournalEntry[] = [];
  const journal = journalTo((entry) => entries.push(entry), {
    payloads: true,
    // As in the recording, so that what is hidden there does not count as a difference.
    redact: redactionIn(folder),
  });
  const fired = {
    event: event as HookEventName,
    fields: fields as unknown as HookEventFields[HookEventName],
    context: { toolCallId: callId },
    folder,
    canAsk: true,
    ...(hook !== undefined && { runsElsewhere: ({ name }: { name: string }) => name !== hook }),
  };
  const config = await hooksConfig(
    fired,
    dialects,
    { hooks: true, ...(trust && { trust }) },
    { inspect: journal.observe },
  );
  await fireIn(config, fired);
  const [call] = await Readable.from(accounts(Readable.from(entries))).toArray();
  const [now] = (call as CallAccount | undefined)?.events ?? [];
  if (now === undefined) return { id: event, event, startedAt: 0, hooks: [] };
  if (hook === undefined) return now;
  const { verdict: _, ...alone } = now;
  return alone;
}
