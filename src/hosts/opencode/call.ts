import {
  flag,
  object,
  optional,
  readShape,
  text,
  withDefault,
  type Shape,
} from '../../core/protocol/fields.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { patchFieldIn, patchParts } from '../patch/patch-parts.ts';
import type { CallResult, CheckedCall, Dialect } from '../../core/dialects/dialect.ts';
import { tools } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

const call = { tool: text, args: object, call_id: optional(text) };

/** The fields that the plugin file gives for each event. */
const shapes: Readonly<Record<string, Shape>> = {
  'tool.execute.before': call,
  'tool.execute.after': { ...call, output: text },
  'chat.message': { prompt: text },
  'session.idle': {
    prompt: withDefault(text, () => ''),
    response: withDefault(text, () => ''),
    again: withDefault(flag, () => false),
  },
};

/** Reads an event from the plugin file, into canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const faults: string[] = [];
  const fields: Fields = readShape(shapes[event] ?? {}, given, faults);
  if (faults.length > 0) return { faults };
  const read = {
    fields: inCanonicalForm(event, fields),
    context: { toolCallId: fields['call_id'] as string | undefined },
  };
  const args = fields['args'] as Fields | undefined;
  if (args === undefined || !patchTools.has(fields['tool'])) return read;
  const field = patchFieldIn(args) ?? 'patchText';
  return { ...read, parts: patchParts(read.fields, args, field, given['cwd']) };
};

/** The tools whose patch may write many files; the second is that of earlier versions. */
const patchTools: ReadonlySet<unknown> = new Set(['apply_patch', 'patch']);

function inCanonicalForm(event: string, fields: Fields): Fields {
  switch (event) {
    case 'tool.execute.before':
    case 'tool.execute.after': {
      const tool_name = tools.fromTheirs(fields['tool'] as string);
      const llmContent = fields['output'];
      return {
        tool_name,
        tool_input: tools.fromInput(tool_name, fields['args'] as Fields),
        ...(event === 'tool.execute.after' && {
          tool_response: { llmContent, returnDisplay: llmContent },
        }),
      };
    }
    case 'chat.message':
      return { prompt: fields['prompt'] };
    case 'session.idle': {
      const { prompt, response, again } = fields;
      return { prompt, prompt_response: response, stop_hook_active: again };
    }
    case 'session.created':
      return { source: 'startup' };
    default:
      return { trigger: 'auto' };
  }
}

/** Returns what the plugin file is told: the final arguments and a replaced result, as OpenCode has them. */
export const reportCall = ({ toolName = '', toolInput, toolResponse }: CallResult) => ({
  toolInput: toolInput && tools.toInput(toolName, toolInput),
  toolOutput: toolResponse ? textsIn(toolResponse['llmContent']) : null,
});
