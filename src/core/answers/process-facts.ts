import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { hookPointOf } from '../points/hook-points.ts';
import { defined } from '../../base/json.ts';
import type { HookDefinition } from '../definitions/hook-definition.ts';
import type { Answer, Effect, Ignored, Wants } from './answer.ts';

/** The answer of a hook that said nothing and did nothing wrong. */
const silent = {
  decision: undefined,
  stop: false,
  effects: [],
  timedOut: false,
  notes: [],
  plainText: false,
} as const;

/** Where a denial counts that a hook had printed before it ran into its deadline. */
export interface LateDenials {
  /** The display name of the host that would ignore it. */
  readonly host?: string;
}

/**
 * Reads an ended process as an answer. A process that never ran, ran too long or was given up on means
 * the same in every dialect; an exit means what `readExit` makes of it. Without `late`, nothing of what a
 * hook had printed before its deadline counts.
 */
export function readOutcome(
  outcome: HookProcessOutcome,
  readExit: (exit: HookExit) => Answer,
  late?: LateDenials,
): Answer {
  switch (outcome.status) {
    case 'failed':
      return noAnswer('failed', outcome.error, outcome.exit);
    case 'cancelled':
      return noAnswer('cancelled', new Error(`Cancelled: ${outcome.reason}`), outcome.exit);
    case 'timedOut': {
      const error = new Error(`Hook timed out after ${outcome.timeout}ms`);
      const timedOut = { ...noAnswer('timedOut', error, outcome.exit), timedOut: true };
      const said = late && outcome.exit && deniedInTime(outcome.exit, readExit);
      return said ? withDenial(timedOut, said, late) : timedOut;
    }
    case 'exited': {
      const answer = readExit(outcome.exit);
      const { survivors } = outcome.exit;
      const notes = [
        ...answer.notes,
        ...(answer.ignored ? [ignoredNote(answer.ignored)] : []),
        ...(outcome.exit.notes ?? []),
        ...(outcome.leftBackground && !survivors
          ? ['left background processes; they were ended']
          : []),
        ...survivorNotes(outcome.exit),
      ];
      return { ...answer, ...(survivors && { survivors }), notes };
    }
  }
}

/**
 * Returns what a hook had printed before its deadline, read as if it had exited with 0, if that denies or
 * stops: somebody meant it, whatever hung afterwards.
 */
function deniedInTime(exit: HookExit, readExit: (exit: HookExit) => Answer): Answer | undefined {
  const answer = readExit({ ...exit, exitCode: 0, signal: null });
  const denies = (answer.decision === 'deny' && !answer.unfit) || answer.stop;
  return answer.status === 'ok' && denies ? answer : undefined;
}

/** Returns the answer of a hook that timed out, with the denial that it had printed before. */
function withDenial(timedOut: Answer, said: Answer, { host }: LateDenials): Answer {
  const { decision, reason, stop, stopReason, effects, output } = said;
  const late = { why: 'it did not exit before its timeout', fix: 'exit after printing it' };
  const what = decision === 'deny' ? 'denial' : 'stop';
  const ignored = said.ignored ?? (host === undefined ? undefined : { host, what, ...late });
  return {
    ...timedOut,
    ...defined({ decision, reason, stopReason, output, ignored }),
    isInTime: true,
    stop,
    effects,
    notes: [...timedOut.notes, ...said.notes, ...(ignored ? [ignoredNote(ignored)] : [])],
  };
}

/** The note for a hook's author about the part of an answer that its own host would ignore. */
const ignoredNote = ({ host, what, why, fix }: Ignored): string =>
  `${host} would ignore this ${what}: ${why}${fix === undefined ? '' : `; ${fix}`}`;

/** Returns the answer for a hook whose own answer does not count. */
export function noAnswer(
  status: 'failed' | 'timedOut' | 'cancelled',
  error: Error,
  exit: HookExit | undefined,
): Answer {
  return {
    ...silent,
    status,
    error,
    success: false,
    exitCode: null,
    ...(exit?.signal && { signal: exit.signal }),
    stdout: exit?.stdout ?? '',
    stderr: exit?.stderr ?? '',
    durationMs: exit?.durationMs ?? 0,
    ...(exit?.httpStatus !== undefined && { httpStatus: exit.httpStatus }),
    ...(exit?.survivors && { survivors: exit.survivors }),
    notes: exit ? [...(exit.notes ?? []), ...survivorNotes(exit)] : [],
  };
}

/** Returns what is reported to the user about processes that could not be ended. */
const survivorNotes = ({ survivors = [] }: HookExit): string[] =>
  survivors.map(
    ({ pid, command, why }) =>
      `process ${pid} (${command || 'unnamed'}) could not be ended and is still running: ${why}; end it yourself`,
  );

/** Returns the facts of an exit, as every answer reports them. */
export function factsOf({ exitCode, signal, httpStatus, stdout, stderr, durationMs }: HookExit) {
  const facts = { ...silent, exitCode: exitCode ?? 0, stdout, stderr, durationMs };
  if (!signal && httpStatus === undefined) return facts;
  return {
    ...facts,
    ...(signal && { signal }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

/** Returns the fields that make an answer a failure. */
export const failure = (message: string) =>
  ({ status: 'failed', success: false, error: new Error(message) }) as const;

/** Returns the note for the hook's author if the end of stderr is missing. */
export const cutNotes = ({ truncated }: HookExit): string[] =>
  truncated.includes('stderr') ? ['stderr went over 10 MiB; the rest was dropped'] : [];

/**
 * Returns the answer of a hook that wants this and ended so. With an exit status other than 0, what it wants
 * counts if it denies, or if its host obeys it all the same.
 */
export function settled(exit: HookExit, { notes, ...wants }: Wants, isObeyed = false): Answer {
  const answer: Answer = {
    ...factsOf(exit),
    ...wants,
    notes: [...notes, ...cutNotes(exit)],
    status: 'ok',
    success: exit.exitCode === 0,
  };
  if (answer.decision === 'deny' || answer.stop) return answer;
  if (exit.exitCode === 0)
    return exit.truncated.includes('stdout') ? { ...answer, ...failure(cutStdout) } : answer;
  return isObeyed
    ? { ...answer, unreadable: failureText(exit) }
    : { ...answer, ...failure(failureText(exit)) };
}

/** Returns the answer of a hook that nobody waits for: only these effects of it count. */
export function unawaitedAnswer(answer: Answer, effects: readonly Effect[]): Answer {
  const {
    decision: _,
    reason: __,
    stopReason: ___,
    unreadable: ____,
    ignored: _____,
    ...facts
  } = answer;
  return { ...facts, decision: undefined, stop: false, effects };
}

/** Returns why an exit counts as a failure. */
export function failureText({ exitCode, signal }: HookExit): string {
  if (exitCode === null) return `Hook was killed by ${signal ?? 'a signal'}`;
  const meaning =
    exitCode === 127
      ? ' (command not found: check its path)'
      : exitCode === 126
        ? ' (not executable: is it a file, and did you chmod +x it?)'
        : '';
  return `Hook exited with code ${exitCode}${meaning}`;
}

/** The error when stdout was cut and the rest is not an answer. */
export const cutStdout = 'stdout went over 10 MiB, so the answer cannot be read; print less';

/**
 * Turns a failure into the denial that a hook's `onFailure: "block"` asks for. A hook that was given up
 * on did not fail, and one that denies already keeps its own reason.
 */
export function denyFailure<A extends Answer>(answer: A, hook: string): A {
  const { status, unreadable, stderr } = answer;
  if (answer.decision === 'deny' || status === 'cancelled') return answer;
  if (status === 'ok' && unreadable === undefined) return answer;
  const error = answer.error ?? new Error(unreadable);
  const said = status === 'failed' && stderr.trim() !== '' ? `: ${stderr.trim()}` : '';
  const denial = failureDenial(hook, `${error.message}${said}`);
  return {
    ...answer,
    status: status === 'ok' ? 'failed' : status,
    success: false,
    error,
    ...denial,
    effects: [],
    plainText: false,
    // The output was not taken as a message after all, and the error need not be repeated in a note.
    notes: answer.notes.filter(
      (note) =>
        unreadable === undefined || !(note.startsWith(unreadable) || unreadable.endsWith(note)),
    ),
    output: {
      // A stop still counts next to an unclear decision.
      ...(answer.stop && { continue: false, stopReason: answer.output?.stopReason }),
      ...denial,
    },
  };
}

/** Returns the denial that stands for a hook's failure, for the model to read. */
export function failureDenial(hook: string, text: string) {
  const name = hook.length > 80 ? `${hook.slice(0, 80)}…` : hook;
  const why = text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
  return { decision: 'deny', reason: `Blocked because the hook "${name}" failed: ${why}` } as const;
}

/** How much of a failed hook's stderr is passed to the model, in characters. */
const longestReason = 2_000;

/**
 * Whether a hook denies if it may not start: if its failure does, and if its bundle was changed, unless its
 * author let the operation continue.
 */
export const deniesUntrusted = ({
  bundle,
  event,
  failsOpen,
  onFailure,
}: Partial<Pick<HookDefinition, 'bundle' | 'event' | 'failsOpen' | 'onFailure'>>): boolean =>
  onFailure === 'block' ||
  (bundle !== undefined &&
    failsOpen !== true &&
    event !== undefined &&
    hookPointOf(event).needsGuards);

/** How bash says that it did not find a command, in the languages that it has most users in. */
const notFound = [
  'command not found',
  'commande introuvable',
  'Kommando nicht gefunden',
  'Befehl nicht gefunden',
  'orden no encontrada',
  'comando non trovato',
  'comando não encontrado',
  'команда не найдена',
  'команду не знайдено',
  'コマンドが見つかりません',
  '未找到命令',
  '找不到指令',
  '명령어를 찾을 수 없음',
  'opdracht niet gevonden',
  'nie znaleziono polecenia',
  'kommandot finns inte',
  'komut bulunamadı',
  'příkaz nenalezen',
];

/**
 * How shells, and programs that start others, say on stderr that a program is missing; the first group is its
 * name.
 */
const sentences = (): readonly RegExp[] => [
  new RegExp(String.raw`^(?:.*: )?\p{L}+ \d+ ?: ([^\s:]+) ?: (?:${notFound.join('|')})\.?$`, 'mu'),
  // zsh.
  /^\S.*:\d+: command not found: (\S+)$/m,
  // dash, ksh, busybox, mksh.
  /^\S.*?(?:: (?:line )?\d+|\[\d+\]): ([^\s:]+): (?:not found|inaccessible or not found)$/m,
  /^(?:[^\s:]*(?:sh|exec)): ([^\s:]+): (?:not found|command not found|inaccessible or not found)$/m,
  // fish.
  /^(?:fish: )?Unknown command:? '?([^\s']+?)'?$/m,
  // PowerShell.
  /The term '([^']+)' is not recognized as a name of a cmdlet/,
  /^(?:[^\s:]*\/)?(?:env|xargs|nohup|timeout|nice|setsid|stdbuf): (?:failed to run command |failed to execute |cannot run )?['\u2018"]?([^\s'\u2019":]+)['\u2019"]?: No such file or directory$/m,
];

/** How much of stderr is looked through, in characters. */
const longestLook = 64 * 1024;

/** The program that a shell said is missing. */
export function missingProgram(stderr: string): string | undefined {
  if (stderr === '') return undefined;
  const text = stderr.slice(0, longestLook).replaceAll('\r', '');
  for (const sentence of sentences()) {
    const name = sentence.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * Marks the answer of a hook that said nothing because a program of its script is missing: nobody knows what
 * it would have said. Where a host's own rules decide what a failure is, it is only noted.
 */
export function withMissingProgram<A extends Answer>(answer: A, isOnlyNoted: boolean): A {
  const { status, exitCode, decision, stop, stdout, stderr, notes } = answer;
  if (status !== 'ok' || exitCode !== 0 || decision !== undefined || stop) return answer;
  const program = stdout.trim() === '' ? missingProgram(stderr) : undefined;
  if (program === undefined) return answer;
  const what = `its script did not find the program ${JSON.stringify(program)} and gave no answer; install it, or test for it first (command -v)`;
  return {
    ...answer,
    notes: [...notes, what],
    ...(!isOnlyNoted && answer.unreadable === undefined && { unreadable: what }),
  };
}
