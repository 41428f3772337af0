import type { HookPayload } from '../../../machines/hook-event.ts';
import { wholePath } from '../../base/folders.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { CallResult, CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';
import {
  anything,
  flag,
  oneOf,
  optional,
  text,
  withDefault,
  type Field,
  type Shape,
} from '../../core/protocol/fields.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { patchParts } from '../patch/patch-parts.ts';
import { fromPatch, toPatch } from '../patch/patch.ts';
import { call, checkedCall, claudeShapes, ownFields } from '../parts/host-call.ts';
import { fromClaudeWord, toClaudeWord } from '../parts/matching.ts';
import { keptForms, resultOf, shellStreams } from '../parts/tool-facts.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

const shell = 'run_shell_command';
const patches: ReadonlySet<string> = new Set(['write_file', 'replace']);

/** Returns Codex's name for one of our tools; any other tool keeps its name. */
export const toCodexTool = (ours: string): string =>
  ours === shell ? 'Bash' : patches.has(ours) ? 'apply_patch' : ours;

/** Returns the names that Codex's matchers know one of our tools by. */
export const codexNamesOf = (ours: string): readonly string[] => {
  const name = toCodexTool(ours);
  return name === 'apply_patch' ? [name, 'Edit', 'Write'] : [name];
};

/** Returns our arguments as Codex's hooks know them. */
function toCodexInput(ours: string, input: Fields): Fields {
  if (ours === shell) return { command: input['command'] };
  return patches.has(ours) ? { command: toPatch(ours, input) } : input;
}

/** Returns Codex's arguments as our tool takes them, or why it cannot run with them. */
export function fromCodexInput(
  ours: string,
  given: unknown,
  before: Fields,
): { readonly input: Fields } | { readonly fault: string } {
  if (!isRecord(given)) return { fault: 'they are not an object' };
  const { command } = given;
  if (ours !== shell && toCodexTool(ours) !== 'apply_patch') return { input: given };
  if (typeof command !== 'string')
    return { fault: `"command" ${command === undefined ? 'is missing' : 'is not a string'}` };
  if (!patches.has(ours)) return { input: { ...before, command } };
  const input = fromPatch(ours, command, before);
  return input ? { input } : { fault: `its patch does more than one call of ${ours} can do` };
}

const forms = keptForms();

/** Returns a tool's result as Codex's hooks receive it; for a shell command, what it printed. */
function toCodexResponse(ours: string, input: Fields, given: unknown): unknown {
  const response = fieldsOf(given);
  const known = forms.theirs(response);
  if (known) return known.form;
  const said = textsIn(response['llmContent']);
  if (ours === shell) {
    const { stdout, stderr } = shellStreams(said, String(input['command']));
    const isApart = stdout === '' || stderr === '' || stdout.endsWith('\n');
    return `${stdout}${isApart ? '' : '\n'}${stderr}`;
  }
  return ours.startsWith('mcp__') ? { content: [{ type: 'text', text: said }] } : said;
}

/** Returns a result in Codex's form as a `tool_response`. */
export function fromCodexResponse(given: unknown): Fields {
  const { content } = fieldsOf(given);
  const said = Array.isArray(content) ? textsIn(content) : JSON.stringify(given);
  return forms.keep(resultOf(typeof given === 'string' ? given : (said ?? '')), given);
}

/** Returns what a hook receives (as measured on the host). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = codexEventOf(hook);
  const { turn, mode } = traitsOf(event);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const { turn_id, model, permission_mode, ...fields } = own;
  return {
    session_id,
    // If the agent reports no turns of its own, each session is one turn.
    ...(turn && { turn_id: turn_id ?? session_id }),
    transcript_path: (context.transcriptPath ?? transcript_path) || null,
    cwd,
    hook_event_name: event,
    ...(event !== 'SessionEnd' && { model: model ?? '' }),
    ...(mode && { permission_mode: permission_mode ?? 'default' }),
    ...(traitsOf(event).subject === 'tool_name'
      ? toldCall(event, fields, payload, context)
      : toldFields(event, fields)),
  };
}

/** Fields of the agent that we do not know are passed on unchanged. */
function toldCall(
  event: CodexEventName,
  { tool_response: response, ...others }: Fields,
  payload: HookPayload,
  { toolCallId }: EventContext,
): Fields {
  const tool = String(payload['tool_name']);
  const input = fieldsOf(payload['tool_input']);
  const { description, directory, dir_path, workdir } = input;
  const isExplained = event === 'PermissionRequest' && description !== undefined;
  const asked = [directory, dir_path, workdir].find(
    (path) => typeof path === 'string' && path !== '',
  );
  return {
    ...others,
    // The folder that a shell command asked for may differ from the session's.
    cwd:
      tool === shell && typeof asked === 'string'
        ? wholePath(asked, String(payload['cwd']))
        : String(payload['cwd']),
    tool_name: toCodexTool(tool),
    tool_input: { ...toCodexInput(tool, input), ...(isExplained && { description }) },
    ...(event === 'PostToolUse' && { tool_response: toCodexResponse(tool, input, response) }),
    ...(event !== 'PermissionRequest' && { tool_use_id: toolCallId ?? '' }),
  };
}

function toldFields(event: CodexEventName, own: Fields): Fields {
  const { last_assistant_message = null } = own;
  switch (event) {
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return { ...rest, last_assistant_message: said ?? null };
    }
    case 'SubagentStop':
      return { agent_transcript_path: null, ...own, last_assistant_message };
    case 'SessionStart':
      return { ...own, source: toClaudeWord(event, String(own['source'])) };
    case 'SessionEnd':
      return { reason: 'other' };
    case 'PreCompact':
    case 'PostCompact': {
      const { compact_summary: _, ...rest } = own;
      return rest;
    }
    default:
      return own;
  }
}

const textOrNull: Field<string | null> = {
  mayBeAbsent: false,
  read: (value, ...rest) => (value === null ? null : text.read(value, ...rest)),
};
const stop = {
  stop_hook_active: withDefault(flag, () => false),
  last_assistant_message: optional(textOrNull),
};

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Record<CodexEventName, Shape>> = {
  ...claudeShapes,
  PostToolUse: { ...call, tool_response: anything },
  Stop: stop,
  SubagentStop: { ...claudeShapes.SubagentStart, ...stop },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'fork', 'compact']) },
  SessionEnd: { reason: withDefault(text, () => 'other') },
  Interrupt: {},
};

/** Reads an event from an agent that speaks Codex into canonical form. */
export function readCall(event: string, given: Fields): CheckedCall {
  const native = event as CodexEventName;
  return checkedCall(shapes[native], given, (fields) => inCanonicalForm(native, fields));
}

function inCanonicalForm(event: CodexEventName, fields: Fields): ReadCall {
  const { own, made } = ownFields(fields);
  if (traitsOf(event).subject === 'tool_name') {
    const theirs = own['tool_name'] as string;
    const input = own['tool_input'] as Fields;
    const { cwd } = fields;
    const read = made({
      tool_name: theirs === 'Bash' ? shell : theirs,
      // Codex reports the folder that a shell command asked for as `cwd`.
      tool_input:
        ['Bash', shell].includes(theirs) && typeof cwd === 'string' && cwd !== ''
          ? { ...input, directory: cwd }
          : input,
      ...(event === 'PostToolUse' && { tool_response: fromCodexResponse(own['tool_response']) }),
    });
    // A patch may write many files, so it keeps its name.
    return theirs === 'apply_patch'
      ? { ...read, parts: patchParts(read.fields, input, 'command', cwd) }
      : read;
  }
  switch (event) {
    case 'Stop':
      return made({ prompt: '', prompt_response: own['last_assistant_message'] ?? '' });
    case 'SessionStart':
      return made({ source: fromClaudeWord(event, own['source'] as string) });
    default:
      return made({});
  }
}

/** Returns what such an agent is told: the final arguments and a replaced result, in Codex's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toCodexInput(toolName, toolInput),
  toolOutput: toolResponse ? toCodexResponse(toolName, toolInput ?? {}, toolResponse) : null,
  followUps,
});
