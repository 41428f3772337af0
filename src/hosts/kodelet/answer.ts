import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { ignored } from '../../core/protocol/output.ts';
import { defaultReason, type Answer } from '../../core/answers/answer.ts';
import { doubledKeys, withoutDeepFields } from '../parts/printed-json.ts';
import { holdsDenial, withLostDenial, nearMisses, type Vocabulary } from '../parts/near-misses.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  failure,
} from '../../core/answers/process-facts.ts';
import { isTexts, isFlag, isText } from '../parts/hook-groups.ts';
import { exchangeNames, fromKodeletOutput, toKodeletOutput } from './calls.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads an ended `<hook> run`. */
export const readAnswer = (
  event: HookEventName,
  outcome: HookProcessOutcome,
  received: HookPayload,
): Answer => withLostDenial(readOutcome(outcome, (exit) => readExit(event, exit, received)));

function readExit(event: HookEventName, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const failed = (message: string): Answer => ({
    ...facts,
    ...failure(message),
  });
  if (exit.exitCode !== 0) return failed(failureText(exit));
  const text = exit.stdout.trim();
  const read = text === '' ? {} : parse(text);
  if (read === undefined)
    return failed(
      exit.truncated.includes('stdout')
        ? cutStdout
        : `${lostIn(text)}stdout is not JSON; print one object, or nothing`,
    );
  if (!isRecord(read))
    return failed(`${lostIn(text)}stdout is not a JSON object; print one object, or nothing`);
  const notes: string[] = [];
  const printed = isTooDeep(text) ? withoutDeepFields(read, notes) : read;
  const wants = readFields(event, printed, payload, notes);
  // The fields of the wrong type: a deciding one may have been a denial.
  const lost = decidingFields(event).flatMap(
    (name) => notes.find((note) => note.startsWith(`"${name}" `)) ?? [],
  );
  // The part that was kept may still hold a whole answer; only a denial is accepted from it.
  if (exit.truncated.includes('stdout') && wants.decision !== 'deny') return failed(cutStdout);
  const missed = [
    ...nearMisses(printed, wordsOf(event), kodeletFields(payload)),
    ...doubledKeys(text, decidingFields(event), [], (key) => key.toLowerCase()),
  ];
  const [unclear] = [...lost, ...missed];
  return {
    ...facts,
    status: 'ok',
    success: true,
    ...wants,
    notes: [...notes, ...missed],
    ...(unclear !== undefined && { unreadable: `its answer is unclear: ${unclear}` }),
  };
}

const lostIn = (text: string): string => (holdsDenial(text) ? 'a denial was NOT read: ' : '');

/** Returns the payload under Kodelet's names, because a hook may repeat what it received. */
const kodeletFields = (payload: HookPayload): Fields => {
  const { tool_name, tool_input } = payload;
  return isRecord(tool_input)
    ? { ...payload, tool_input: exchangeNames(String(tool_name), tool_input) }
    : payload;
};

/** Parses a JSON text, with null as an empty object as in Go; undefined if it is not JSON. */
function parse(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return undefined;
  }
}

/** Reads the fields of an event's answer; one of the wrong type is ignored, and the others still count. */
function readFields(
  event: HookEventName,
  printed: Fields,
  payload: HookPayload,
  notes: string[],
): Partial<Answer> {
  const toolName = String(payload['tool_name']);
  const field = <T>(name: string, fits: (value: unknown) => value is T, wanted: string) => {
    const value = valueOf(printed, name);
    if (value === undefined || value === null) return undefined;
    if (fits(value)) return value;
    notes.push(ignored(`"${name}"`, value, wanted));
    return undefined;
  };
  const decision = (): Partial<Answer> => {
    const blocked = field('blocked', isFlag, 'true or false');
    const reason = field('reason', isText, 'a string');
    if (blocked === undefined) return {};
    return blocked ? { decision: 'deny', reason: reason || defaultReason } : { decision: 'allow' };
  };
  switch (event) {
    case 'BeforeTool': {
      const input = field('input', isRecord, 'an object');
      return {
        ...decision(),
        ...(input && {
          effects: [{ kind: 'replace', slot: 'tool_input', value: exchangeNames(toolName, input) }],
        }),
      };
    }
    case 'AfterTool': {
      const output = field('output', isRecord, 'an object');
      const received = toKodeletOutput(toolName, payload['tool_response']);
      // A hook that repeats what it received wants no change.
      return output && !isDeepStrictEqual(output, received)
        ? {
            effects: [{ kind: 'replace', slot: 'tool_response', value: fromKodeletOutput(output) }],
          }
        : {};
    }
    case 'BeforeAgent':
      return decision();
    case 'AfterAgent': {
      const followUps = field('follow_up_messages', isTexts, 'an array of strings');
      const texts = (followUps ?? []).filter((text) => text !== '');
      return { effects: texts.map((text) => ({ kind: 'followUp', text })) };
    }
    default:
      return {};
  }
}

/** Finds a field by its name. As in Go, which Kodelet reads it with, case is ignored and the last counts. */
function valueOf(printed: Fields, name: string): unknown {
  const found = Object.keys(printed).findLast((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : printed[found];
}

const fields: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  BeforeTool: ['blocked', 'input'],
  AfterTool: ['output'],
  BeforeAgent: ['blocked'],
  AfterAgent: ['follow_up_messages'],
};

/** The fields of an answer that decide or replace something. */
const decidingFields = (event: HookEventName): readonly string[] => fields[event] ?? [];

const block = 'use "blocked": true and a "reason"';

/** What a hook's answer may say; the case of keys is ignored. */
function wordsOf(event: HookEventName): Vocabulary {
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
