import { History, type Sent } from '../../../src/watch/inspector/history.ts';
import type {
  AnsweredEntry,
  JournalEntry,
  JournaledHook,
  JournaledMachine,
  VerdictEntry,
} from '../../../src/watch/journal/entry.ts';

/** What a hook of a made-up journal does. */
interface MadeHook {
  readonly name: string;
  readonly takes: number;
  readonly answer?: Partial<AnsweredEntry>;
}

export interface MadeJournal {
  readonly sessions?: number;
  readonly turns?: number;
  /** The number of tool calls per turn; each turn also has two model calls. */
  readonly calls?: number;
  readonly payloads?: boolean;
  readonly start?: number;
}

const formatter: MadeHook = {
  name: 'format.sh',
  takes: 38,
  answer: { sets: ['tool_input.content'], reason: 'formatted as the project has it' },
};
const guard: MadeHook = { name: 'guard.py', takes: 61 };
const denial: MadeHook = {
  name: 'guard.py',
  takes: 44,
  answer: { decision: 'deny', reason: 'secrets/ is off limits', exitCode: 2 },
};
const slow: MadeHook = {
  name: 'lint.sh',
  takes: 240,
  answer: { status: 'timedOut', timedOut: true, exitCode: null, signal: 'SIGTERM' },
};
const broken: MadeHook = {
  name: 'audit.js',
  takes: 19,
  answer: { status: 'failed', exitCode: 1, error: 'exit 1: Cannot find module ./log.js' },
};
const rival: MadeHook = { name: 'headers.py', takes: 90, answer: { sets: ['tool_input.content'] } };
const asking: MadeHook = {
  name: 'ask.sh',
  takes: 12,
  answer: { decision: 'ask', reason: 'writes outside src/' },
};
const stopping: MadeHook = {
  name: 'budget.sh',
  takes: 25,
  answer: { stop: true, reason: 'The budget of this session is spent.' },
};

/** What the hook prints. */
const outputOf = ({ name, answer }: MadeHook): object => ({
  decision: answer?.decision ?? 'allow',
  ...(answer?.sets && {
    hookSpecificOutput: { tool_input: { content: `// By ${name}.\nexport const part = 1;\n` } },
  }),
});

/** What may happen around a tool call; used in rotation. */
const scenes: readonly {
  readonly tool: string;
  readonly before: readonly MadeHook[];
  readonly after: readonly MadeHook[];
  readonly sequential?: true;
  readonly conflict?: true;
  readonly cancelled?: true;
}[] = [
  { tool: 'read_file', before: [guard], after: [] },
  { tool: 'write_file', before: [formatter, guard, rival], after: [broken], conflict: true },
  { tool: 'run_shell_command', before: [guard, asking], after: [guard], sequential: true },
  { tool: 'write_file', before: [formatter, denial], after: [] },
  { tool: 'glob', before: [], after: [] },
  { tool: 'replace', before: [slow, guard], after: [formatter] },
  { tool: 'run_shell_command', before: [guard], after: [stopping] },
  { tool: 'search_file_content', before: [guard], after: [], cancelled: true },
];

/**
 * Yields a made-up journal, the same each time, with everything that may happen, as the machines would report
 * it.
 */
export function* madeEntries({
  sessions = 1,
  turns = 1,
  calls = scenes.length,
  payloads = false,
  start = Date.UTC(2026, 0, 15, 9, 30),
}: MadeJournal = {}): Generator<JournalEntry> {
  let at = start;
  let ids = 0;
  const later = (ms: number): number => (at = Math.round((at + ms) * 1000) / 1000);
  const newId = (): string => `made-${++ids}`;

  for (let s = 0; s < sessions; s++) {
    const session = `5e55${String(s).padStart(4, '0')}-0000-4000-8000-000000000000`;

    const begin = (
      machine: JournaledMachine,
      name: string,
      parent: string | undefined,
      state: string,
      more: object = {},
    ): readonly [string, JournalEntry[]] => {
      const id = newId();
      const started = { kind: 'started' as const, at, id, session, machine, name, ...more };
      return [
        id,
        [
          parent === undefined ? started : { ...started, parent },
          { kind: 'moved', at, id, to: state, event: 'xstate.init' },
        ],
      ];
    };
    const moved = (id: string, from: string, to: string, by: string): JournalEntry => ({
      kind: 'moved',
      at,
      id,
      from,
      to,
      event: by,
    });
    const ended = (id: string, status: string, more: object = {}): JournalEntry => ({
      kind: 'ended',
      at,
      id,
      status,
      ...more,
    });

    function* event(
      name: string,
      parent: string | undefined,
      hooks: readonly MadeHook[],
      isSequential = false,
      hasConflict = false,
    ): Generator<JournalEntry, { blocked: boolean; stop: boolean; reason?: string }> {
      const plan = {
        mode: isSequential ? ('sequential' as const) : ('parallel' as const),
        hooks: hooks.map((hook): JournaledHook => ({
          name: hook.name,
          source: 'project',
          dialect: 'llxprt',
          command: `.llxprt/hooks/${hook.name} --event ${name}`,
          timeout: 60_000,
        })),
      };
      const [id, beginning] = begin('hookEvent', name, parent, 'hearing.choosing', {
        plan,
        ...(payloads && { payload: { hook_event_name: name, session_id: session } }),
      });
      yield* beginning;
      yield moved(
        id,
        'hearing.choosing',
        isSequential ? 'hearing.sequence.running' : 'hearing.parallel',
        'xstate.init',
      );
      const running: { hook: MadeHook; process: string; until: number }[] = [];
      const launch = function* (hook: MadeHook): Generator<JournalEntry> {
        const [process, started] = begin('hookProcess', hook.name, id, 'alive.starting', {
          ...(payloads && { payload: { hook_event_name: name, cwd: '/project' } }),
        });
        yield* started;
        later(1.4);
        yield moved(process, 'alive.starting', 'alive.running', 'process.started');
        running.push({ hook, process, until: at + hook.takes });
      };
      const hear = function* (): Generator<JournalEntry> {
        running.sort((a, b) => a.until - b.until);
        const { hook, process, until } = running.shift()!;
        at = Math.max(at, until);
        const { timedOut } = hook.answer ?? {};
        if (timedOut) {
          yield moved(process, 'alive.running', 'alive.overdue', 'xstate.after.deadline.x');
          yield moved(process, 'alive.overdue', 'alive.terminating', 'xstate.after.settle.x');
          yield moved(process, 'alive.terminating', 'timedOut', 'process.closed');
        } else {
          yield moved(process, 'alive.running', 'alive.draining', 'process.exited');
          yield moved(process, 'alive.draining', 'exited', 'process.closed');
        }
        yield ended(process, timedOut ? 'timedOut' : 'exited');
        yield {
          kind: 'answered',
          at,
          id: process,
          status: 'ok',
          stop: false,
          exitCode: 0,
          durationMs: hook.takes,
          timedOut: false,
          ...hook.answer,
          ...(payloads && {
            payload: {
              stdout: `${JSON.stringify(outputOf(hook))}\n`,
              stderr: '',
              output: outputOf(hook),
            },
          }),
        };
      };
      let blocked: MadeHook | undefined;
      let stopped: MadeHook | undefined;
      const setBy: Record<string, string> = {};
      const decide = (hook: MadeHook): void => {
        if (hook.answer?.decision === 'deny') blocked = hook;
        if (hook.answer?.stop) stopped = hook;
        for (const field of hook.answer?.sets ?? []) setBy[field] = hook.name;
      };
      const sequence = 'hearing.sequence';
      if (isSequential)
        for (const [index, hook] of hooks.entries()) {
          yield* launch(hook);
          yield* hear();
          decide(hook);
          yield moved(id, `${sequence}.running`, `${sequence}.judging`, 'xstate.done.actor.hook.0');
          yield moved(id, `${sequence}.judging`, `${sequence}.next`, '');
          const isLast = index === hooks.length - 1;
          yield moved(id, `${sequence}.next`, isLast ? 'merging' : `${sequence}.running`, '');
        }
      else {
        for (const hook of hooks) yield* launch(hook);
        for (const hook of hooks) {
          yield* hear();
          decide(hook);
        }
        yield moved(id, 'hearing.parallel', 'merging', 'xstate.done.actor.hook.0');
      }
      yield moved(id, 'merging', 'settled', '');
      const reason = blocked?.answer?.reason ?? stopped?.answer?.reason;
      const by = blocked?.name ?? stopped?.name;
      const conflict: VerdictEntry['conflicts'] = hasConflict
        ? [
            {
              field: 'tool_input.content',
              hooks: ['format.sh', 'headers.py'],
              winner: 'headers.py',
            },
          ]
        : [];
      if (blocked) setBy['decision'] = blocked.name;
      if (stopped) setBy['continue'] = stopped.name;
      const verdict = {
        blocked: blocked !== undefined,
        stop: stopped !== undefined,
        ...(reason !== undefined && { reason }),
      };
      yield {
        kind: 'verdict',
        at,
        id,
        ...verdict,
        ...(by !== undefined && { by }),
        ...(stopped && { stopBy: stopped.name, stopReason: stopped.answer!.reason! }),
        setBy,
        conflicts: conflict,
      };
      yield ended(id, 'settled');
      return verdict;
    }

    function* modelCall(turn: string): Generator<JournalEntry> {
      const [id, beginning] = begin('modelCall', 'some-model', turn, 'preparing', {
        ...(payloads && { payload: { model: 'some-model', contents: [{ role: 'user' }] } }),
      });
      yield* beginning;
      yield moved(id, 'preparing', 'assembling', '');
      yield moved(id, 'assembling', 'beforeHooks.running', '');
      yield* event('BeforeModel', id, [guard]);
      yield moved(id, 'beforeHooks.running', 'judgingBefore', 'xstate.done.actor.beforeHooks');
      yield moved(id, 'judgingBefore', 'calling', '');
      later(410);
      yield moved(id, 'calling', 'judgingResponse', 'xstate.done.actor.model');
      yield moved(id, 'judgingResponse', 'done', '');
      yield ended(id, 'done', payloads ? { payload: { text: 'Let me look.' } } : {});
      later(2);
    }

    function* toolCall(parent: string, index: number): Generator<JournalEntry> {
      const scene = scenes[index % scenes.length]!;
      const [id, beginning] = begin('toolCall', scene.tool, parent, 'admitting', {
        callId: `call_${ids}`,
        ...(payloads && {
          payload:
            scene.tool === 'run_shell_command'
              ? { command: `npm test -- part-${index}` }
              : { file_path: `src/part-${index}.ts`, content: 'export const part = 1;\n' },
        }),
      });
      yield* beginning;
      if (scene.before.length > 0) {
        yield moved(id, 'admitting', 'beforeHooks.running', '');
        const { blocked, reason } = yield* event(
          'BeforeTool',
          id,
          scene.before,
          scene.sequential,
          scene.conflict,
        );
        yield moved(id, 'beforeHooks.running', 'judgingBefore', 'xstate.done.actor.beforeHooks');
        if (blocked) {
          yield moved(id, 'judgingBefore', 'blocked', '');
          yield ended(id, 'blocked', { reason });
          return;
        }
        yield moved(id, 'judgingBefore', 'approving', '');
      } else yield moved(id, 'admitting', 'approving', '');
      yield moved(id, 'approving', 'executing', '');
      later(35 + ((index * 37) % 120));
      if (scene.cancelled) {
        yield moved(id, 'executing', 'cancelled', 'cancel');
        yield ended(id, 'cancelled', { reason: 'the user pressed Ctrl-C' });
        return;
      }
      yield moved(id, 'executing', 'judgingResult', 'xstate.done.actor.tool');
      if (scene.after.length > 0) {
        yield moved(id, 'judgingResult', 'afterHooks.running', '');
        const { stop, reason } = yield* event('AfterTool', id, scene.after);
        const to = stop ? 'stopped' : 'done';
        yield moved(id, 'afterHooks.running', 'judgingAfter', 'xstate.done.actor.afterHooks');
        yield moved(id, 'judgingAfter', to, '');
        yield ended(id, to, reason === undefined ? {} : { reason });
      } else {
        yield moved(id, 'judgingResult', 'done', '');
        yield ended(id, 'done', payloads ? { payload: { llmContent: 'ok' } } : {});
      }
      later(3);
    }

    yield* event('SessionStart', undefined, [guard]);
    for (let t = 0; t < turns; t++) {
      later(900);
      const [turn, beginning] = begin('agentTurn', 'turn', undefined, 'admitting');
      yield* beginning;
      yield moved(turn, 'admitting', 'beforeAgent.running', '');
      yield* event('BeforeAgent', turn, [guard]);
      yield moved(turn, 'beforeAgent.running', 'judgingPrompt', 'xstate.done.actor.beforeHooks');
      yield moved(turn, 'judgingPrompt', 'callingModel.running', '');
      yield* modelCall(turn);
      yield moved(turn, 'callingModel.running', 'judgingModelCall', 'xstate.done.actor.modelCall');
      yield moved(turn, 'judgingModelCall', 'runningTools.running', '');
      for (let c = 0; c < calls; c++) yield* toolCall(turn, t * calls + c);
      yield moved(turn, 'runningTools.running', 'judgingTools', 'xstate.done.actor.toolBatch');
      yield moved(turn, 'judgingTools', 'callingModel.running', '');
      yield* modelCall(turn);
      yield moved(turn, 'callingModel.running', 'judgingModelCall', 'xstate.done.actor.modelCall');
      yield moved(turn, 'judgingModelCall', 'finished', '');
      yield ended(turn, 'finished');
    }
    yield { kind: 'warned', at, text: 'hook lint.sh: it took more than 240 ms and was ended' };
  }
}

/** A recording of such a journal, as text. */
export const madeRecording = (options: MadeJournal = {}): string =>
  [
    {
      kind: 'recording',
      format: 'hookmachine',
      version: 1,
      at: 0,
      payloads: options.payloads === true,
    },
    ...madeEntries(options),
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');

/** Entries as a page receives them. */
export function sentOf(entries: readonly JournalEntry[]): Sent {
  const history = new History();
  for (const entry of entries) history.push(entry);
  return JSON.parse(history.batch(1, Infinity)!.text) as Sent;
}
