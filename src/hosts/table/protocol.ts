import { isRegex } from '../../base/bounded-regex.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit } from '../../../machines/hook-process.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';
import { type Answer, defaultReason, type Effect, type Wants } from '../../core/answers/answer.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { settled } from '../../core/answers/process-facts.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { denialIn, denialInText } from '../parts/host-denials.ts';
import { compileBy, matchesAll, type Matcher } from '../parts/matching.ts';
import { holdsDenial } from '../parts/near-misses.ts';
import { readerOf } from '../parts/reader.ts';
import { saysNo } from '../parts/deciding-words.ts';
import { parseObject, withoutDeepFields } from '../parts/printed-json.ts';
import { toolsOf } from './tools.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import type { Fields, Said, ToolCall, LoadedDialect } from './host-table.ts';

/** The host's name for a hook's event. */
const nativeOf = (
  { events }: Pick<LoadedDialect, 'events'>,
  { nativeEvent, event }: Pick<HookDefinition, 'nativeEvent' | 'event'>,
): string => nativeEvent ?? Object.keys(events).find((name) => events[name]!.at === event)!;

const traitsOf = (of: LoadedDialect, hook: Pick<HookDefinition, 'nativeEvent' | 'event'>) =>
  of.events[nativeOf(of, hook)]!;

const isAll = (matcher: string): boolean => ['', '*', '.*'].includes(matcher);

/** The field that a hook's matcher is compared with; undefined if its event has no matchers. */
export const subjectOf = (of: LoadedDialect, hook: HookDefinition): string | undefined =>
  traitsOf(of, hook).subject;

const plainNames = /^[\w.:-]+(?:\s*\|\s*[\w.:-]+)*$/;

/**
 * Compiles a matcher, which is compared with the host's name for a tool and with ours. One that cannot be
 * decided in time, or is no regular expression, matches: a guard is never skipped.
 */
export function compileMatcher(
  of: LoadedDialect,
  hook: HookDefinition,
  onUndecided: (error: Error) => void,
): Matcher {
  const { subject } = traitsOf(of, hook);
  const matcher = hook.matcher?.trim() ?? '';
  if (subject === undefined || isAll(matcher)) return matchesAll;
  const { nameOf } = toolsOf(of);
  const namesOf = (given: string): string[] =>
    subject === 'tool_name' ? [...new Set([nameOf(given), given])] : [given];
  return compileBy(
    matcher,
    {
      regexOf: (given) => {
        const source = /^\/(.+)\/$/.exec(given)?.[1] ?? given;
        return isRegex(source) ? source : undefined;
      },
      ...(of.matching === 'names or regex' && { list: plainNames }),
      named: namesOf,
      otherwise: true,
    },
    onUndecided,
  );
}

/** The environment variables that a hook gets. */
export function environmentOf(
  of: LoadedDialect,
  hook: HookDefinition,
  payload: Fields,
): Readonly<Record<string, string>> {
  const { tool_name: name, tool_input: given } = payload;
  const { tool, input } =
    typeof name === 'string'
      ? toolsOf(of).toTheirs({ tool: name, input: isRecord(given) ? given : {} })
      : { tool: '', input: {} };
  return { ...of.environment?.({ hook, payload, tool, input }), ...hook.env };
}

/** What a hook receives. */
export function toStdin(
  of: LoadedDialect,
  hook: HookDefinition,
  payload: HookPayload,
  context: EventContext,
): object {
  const { names, tells, told } = of;
  const event = nativeOf(of, hook);
  const {
    session_id,
    transcript_path,
    cwd,
    timestamp: _,
    hook_event_name: __,
    tool_name: name,
    tool_input: given,
    tool_response: response,
    prompt,
    prompt_response: said,
    ...others
  } = payload;
  const isAtEnd = of.events[event]!.at === 'AfterAgent';
  const fields = {
    [names.event]: event,
    [names.session]: session_id,
    ...(names.transcript && { [names.transcript]: context.transcriptPath ?? transcript_path }),
    [names.folder]: cwd,
    ...(typeof name === 'string' && {
      ...toldCall(of, { tool: name, input: isRecord(given) ? given : {} }),
      ...(names.call && { [names.call]: context.toolCallId ?? '' }),
      ...(names.response && response !== undefined && { [names.response]: response }),
    }),
    ...(!isAtEnd && prompt !== undefined && { [names.prompt]: prompt }),
    ...(isAtEnd && names.said && { [names.said]: said ?? '' }),
    ...others,
    ...tells?.(event, payload, context),
  };
  return told?.(event, fields) ?? fields;
}

function toldCall(of: LoadedDialect, call: ToolCall): Fields {
  const { tool, input } = toolsOf(of).toTheirs(call);
  return { tool_name: tool, tool_input: input };
}

/** Returns the function that reads the answers of a host's hooks. */
export const readerFor = (of: LoadedDialect) =>
  readerOf({
    host: of.title,
    eventOf: (hook) => nativeOf(of, hook),
    readExit(event, exit, { tool_name: name }) {
      const tool = typeof name === 'string' ? toolsOf(of).nameOf(name) : '';
      return readExit(of, event, exit, tool);
    },
    unawaited: () => [],
  });

function readExit(of: LoadedDialect, event: string, exit: HookExit, tool: string): Answer {
  const meaning = exit.exitCode === null ? undefined : of.exits[exit.exitCode];
  return settled(
    exit,
    meaning ? readStatus(of, event, meaning, exit) : readPrinted(of, event, exit, tool),
  );
}

/** Whether a denial has an effect here, whatever the host makes of it. */
const keepsDenials = ({ events }: LoadedDialect, event: string): boolean =>
  hookPointOf(events[event]!.at).needsGuards;

function readStatus(
  of: LoadedDialect,
  event: string,
  meaning: 'deny' | 'stop',
  { exitCode, stdout, stderr }: HookExit,
): Wants {
  const printed = parseObject(stdout.trim());
  const inside = printed && (denialIn(printed)?.reason ?? of.reads(event, printed).reason);
  const text = stderr.trim() || (typeof inside === 'string' && inside) || stdout.trim();
  if (!of.events[event]!.blocks && !keepsDenials(of, event))
    return { notes: [`exit ${exitCode} has no effect in answer to ${event}`] };
  const reason = text || defaultReason;
  return meaning === 'stop'
    ? { decision: 'deny', reason, stop: true, stopReason: reason, notes: [] }
    : { decision: 'deny', reason, notes: [], ...ifIgnored(of, event, exitCode) };
}

/** Says that the host would not obey an exit status, where it obeys none. */
const ifIgnored = (
  { title, events, ignoresExits }: LoadedDialect,
  event: string,
  exitCode: number | null,
): Pick<Wants, 'ignored'> =>
  events[event]!.blocks && !ignoresExits
    ? {}
    : {
        ignored: {
          host: title,
          what: 'denial',
          why: `exit ${exitCode} has no effect in answer to ${event}`,
          ...(ignoresExits && { fix: 'print its denial on stdout' }),
        },
      };

function readPrinted(of: LoadedDialect, event: string, exit: HookExit, tool: string): Wants {
  const text = exit.stdout.trim();
  const isRead = exit.exitCode === 0 || of.readsAlways === true;
  const undecided = of.needsDecision?.includes(event) === true && 'it printed no decision';
  if (text === '') return { notes: [], ...(undecided && { unreadable: undecided }) };
  const whole = parseObject(text);
  if (whole === undefined) {
    const wants = readText(of, event, text, exit.exitCode === 0);
    return undecided && wants.decision === undefined ? { ...wants, unreadable: undecided } : wants;
  }
  const notes: string[] = [];
  const printed = isTooDeep(text) ? withoutDeepFields(whole, notes) : whole;
  const said = isRead ? of.reads(event, printed) : {};
  // A stop that the host obeys needs no denial.
  if (said.decision !== 'deny' && said.stop === undefined) {
    const lost = lostDenial(
      of,
      event,
      printed,
      isRead ? 'it is not written as it reads it' : `it exited with ${exit.exitCode ?? 'a signal'}`,
    );
    if (lost) return { ...wantsOf(of, event, said, tool), ...lost, notes };
  }
  const wants = { ...wantsOf(of, event, said, tool), notes };
  return undecided && said.decision === undefined ? { ...wants, unreadable: undecided } : wants;
}

/** Denies for an object that evidently denies, although the host would go on. */
function lostDenial(
  of: LoadedDialect,
  event: string,
  printed: Fields,
  why: string,
): Wants | undefined {
  if (!keepsDenials(of, event)) return undefined;
  const lost = denialIn(printed);
  const denies = lost?.decision === 'deny' || lost?.stop === true || saysNo(printed);
  if (!denies) return undefined;
  return {
    decision: 'deny',
    reason: lost?.reason ?? lost?.stopReason ?? defaultReason,
    notes: [],
    ignored: { host: of.title, what: 'denial', why, fix: 'see docs/dialects.md' },
  };
}

function readText(of: LoadedDialect, event: string, text: string, isOk: boolean): Wants {
  const lost = keepsDenials(of, event) ? denialInText(text, of.title) : undefined;
  if (lost) return lost;
  const notes = holdsDenial(text)
    ? ['a denial was NOT read: print one JSON object and nothing else']
    : [];
  if (text.startsWith('{'))
    return {
      notes: [...notes, 'its output is not valid JSON, so all of it was ignored'],
      unreadable: 'its output is not valid JSON',
    };
  if (!isOk) return { notes };
  const isContext = of.textIsContext?.includes(event) === true;
  return { effects: [{ kind: isContext ? 'context' : 'notice', text }], plainText: true, notes };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** What a hook wants, in our terms. */
function wantsOf(of: LoadedDialect, event: string, said: Said, tool: string): Wants {
  const { decision, reason, stop, context, message, input, hide } = said;
  const effects: Effect[] = [];
  const [told, shown] = [textIn(context), textIn(message)];
  if (told !== undefined) effects.push({ kind: 'context', text: told });
  if (shown !== undefined) effects.push({ kind: 'notice', text: shown });
  if (hide === true) effects.push({ kind: 'hide' });
  const change = input && ('all' in input ? input.all : input.some);
  if (isRecord(change) && of.events[event]!.at === 'BeforeTool')
    effects.push({
      kind: 'all' in input! ? 'replace' : 'patch',
      slot: 'tool_input',
      value: toolsOf(of).fromTheirs({ tool, input: change }).input,
    });
  return {
    ...(decision && { decision, ...(textIn(reason) !== undefined && { reason: textIn(reason)! }) }),
    ...(decision === 'deny' && textIn(reason) === undefined && { reason: defaultReason }),
    ...(stop !== undefined && {
      stop: true,
      stopReason: textIn(stop) ?? textIn(reason) ?? defaultReason,
    }),
    effects,
    notes: [],
  };
}
