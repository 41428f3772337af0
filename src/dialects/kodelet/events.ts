import type { HookEventName } from '../../protocol/events.ts';
import type { Vocabulary } from '../near-misses.ts';

/** The types of hooks, each with our event for it (seed 002 "Hook Types"; the last was added later). */
export const kodeletEvents = {
  before_tool_call: 'BeforeTool',
  after_tool_call: 'AfterTool',
  user_message_send: 'BeforeAgent',
  agent_stop: 'AfterAgent',
  turn_end: 'host.turn_end',
} as const satisfies Readonly<Record<string, HookEventName>>;

/** A type of hook, as `<hook> hook` prints it. */
export type KodeletEvent = keyof typeof kodeletEvents;

/** Whether a text is a type of hook. */
export const isKodeletEvent = (text: string): text is KodeletEvent =>
  Object.hasOwn(kodeletEvents, text);

/** Returns Kodelet's type for our event; undefined for an event that Kodelet does not have. */
export const kodeletEventOf = (event: HookEventName): KodeletEvent | undefined =>
  (Object.keys(kodeletEvents) as KodeletEvent[]).find((type) => kodeletEvents[type] === event);

const fields: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  BeforeTool: ['blocked', 'input'],
  AfterTool: ['output'],
  BeforeAgent: ['blocked'],
  AfterAgent: ['follow_up_messages'],
};

/** The fields of an answer that decide or replace something (seed 002 "Return Value Structures"). */
export const decidingFields = (event: HookEventName): readonly string[] => fields[event] ?? [];

const block = 'use "blocked": true and a "reason"';

/** What a hook's answer may say; the case of keys is ignored. */
export function wordsOf(event: HookEventName): Vocabulary {
  const deciding = decidingFields(event);
  const canBlock = deciding.includes('blocked');
  const decide = canBlock
    ? block
    : 'this type of hook cannot block; before_tool_call can, with "blocked"';
  return {
    path: '',
    legal: [...deciding, 'reason'],
    deciding,
    misplaced: {
      ...(!canBlock && { blocked: decide }),
      decision: decide,
      continue: decide,
      hookSpecificOutput: decide,
      tool_input: 'give new arguments as "input", in answer to before_tool_call',
    },
    instead: {
      'a decision': decide,
      arguments: 'give new arguments as "input", in answer to before_tool_call',
      'a result': 'give a new result as "output", in answer to after_tool_call',
    },
    ignoresCase: true,
  };
}

/** Kodelet's own limit for a run of a hook, in ms (seed 002 "DefaultTimeout"). */
export const runLimit = 30_000;
