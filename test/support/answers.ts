import type { HookExit, HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Answer, NamedAnswer } from '../../src/core/answers/answer.ts';
import { readAnswer } from '../../src/hosts/plain/answer.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';

/** The outcome of a process that ended by itself, silently with 0 unless the caller says otherwise. */
export const exited = (exit: Partial<HookExit>, leftBackground = false): HookProcessOutcome => ({
  status: 'exited',
  leftBackground,
  exit: {
    exitCode: 0,
    signal: null,
    stdout: '',
    stderr: '',
    truncated: [],
    durationMs: 1,
    ...exit,
  },
});

/** What a hook printed; an object means its JSON. */
export type Printed = string | object;

/** The answer of a hook that printed this and exited with 0. */
export const printed = (event: HookEventName, stdout: Printed): Answer =>
  readAnswer(
    event,
    exited({ stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout) }),
  );

/** The answers of hooks that printed these, named a, b, c, … in plan order. */
export const answersOf = (event: HookEventName, ...outputs: Printed[]): NamedAnswer[] =>
  named(...outputs.map((output) => printed(event, output)));

/** Answers named a, b, c, … in plan order. */
export const named = (...answers: Answer[]): NamedAnswer[] =>
  answers.map((answer, index) => ({
    hook: String.fromCharCode('a'.charCodeAt(0) + index),
    answer,
  }));
