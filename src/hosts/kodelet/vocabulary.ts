import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { Vocabulary } from '../parts/near-misses.ts';

/** The types of hooks, each with our event for it; the last was added later. */
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

/** The fields of an answer that decide or replace something. */
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

/** Kodelet's own limit for a run of a hook, in ms. */
export const runLimit = 30_000;

type ToolInput = Readonly<Record<string, unknown>>;
type Names = ReadonlyMap<string, string>;

/** Kodelet's names for our tools. */
const toolNames: Names = new Map([
  ['run_shell_command', 'bash'],
  ['read_file', 'file_read'],
  ['write_file', 'file_write'],
  ['replace', 'file_edit'],
  ['glob', 'glob_tool'],
  ['search_file_content', 'grep_tool'],
]);

const reversed = (names: Names): Names =>
  new Map(Array.from(names, ([ours, theirs]) => [theirs, ours]));

const ourToolNames = reversed(toolNames);

const bothWays = (...pairs: [string, string][]): Names =>
  new Map([...pairs, ...reversed(new Map(pairs))]);

/** By our tool, the arguments that Kodelet names differently. */
const argumentNames: ReadonlyMap<string, Names> = new Map([
  ['read_file', bothWays(['limit', 'line_limit'])],
  ['write_file', bothWays(['content', 'text'])],
  ['replace', bothWays(['old_string', 'old_text'], ['new_string', 'new_text'])],
]);

/** Returns Kodelet's name for one of our tools; any other tool keeps its name. */
export const toKodeletTool = (ourName: string): string => toolNames.get(ourName) ?? ourName;

/** Returns our name for one of Kodelet's tools; any other tool keeps its name. */
export const fromKodeletTool = (theirName: string): string =>
  ourToolNames.get(theirName) ?? theirName;

/**
 * Exchanges our names and Kodelet's in a tool's arguments, in either direction. They are exchanged, not
 * just renamed, so that an argument which nobody asked for cannot take the place of the real one.
 * Values stay as they are: an offset still counts from 0.
 */
export function exchangeNames(ourToolName: string, input: ToolInput): ToolInput {
  const names = argumentNames.get(ourToolName);
  if (names === undefined) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]),
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** By result, its structured form: every hook receives exactly the same. */
const structured = new WeakMap<object, Fields>();

/** Returns a tool's result as Kodelet's structured result. */
export function toKodeletOutput(ourToolName: string, given: unknown): Fields {
  const response = isRecord(given) ? given : {};
  const known = structured.get(response);
  if (known) return known;
  const { llmContent, error, metadata } = response;
  const toolName = toKodeletTool(ourToolName);
  const output = {
    toolName,
    success: !isRecord(error),
    ...(isRecord(error) && { error: textsIn(error['message']) }),
    metadataType: toolName,
    metadata: { ...(isRecord(metadata) && metadata), output: textsIn(llmContent) },
    timestamp: new Date().toISOString(),
  };
  structured.set(response, output);
  return output;
}

/** Returns Kodelet's structured result in the form of `tool_response`. */
export function fromKodeletOutput(output: Fields): Fields {
  const { success, error, metadata } = output;
  const isError = success === false || (typeof error === 'string' && error !== '');
  const message = typeof error === 'string' && error !== '' ? error : 'The tool failed.';
  const said = isRecord(metadata) ? (metadata['output'] ?? metadata['content']) : undefined;
  // Anything else that a hook gives is passed to the model unchanged.
  const text = typeof said === 'string' ? said : isError ? '' : JSON.stringify(output);
  const shown = isError && !text.includes(message) ? `${message}\n${text}`.trimEnd() : text;
  const response = {
    llmContent: shown,
    returnDisplay: shown,
    ...(isRecord(metadata) && { metadata }),
    ...(isError && { error: { message } }),
  };
  structured.set(response, output);
  return response;
}
