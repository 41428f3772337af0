import type { HookPayload } from '../../../machines/hook-event.ts';
import { checkEventFields } from '../../core/protocol/fields.ts';
import { HookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import { defineHooks, type SettingsFormat } from '../../settings/files/define-hooks.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { SettingsOwner } from '../../core/definitions/settings.ts';
import type { Answer } from '../../core/answers/answer.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { readAnswer } from './answer.ts';
import { mergeAnswers } from './merge-answers.ts';
import { onDemand } from '../../base/on-demand.ts';
import { usesOf, compileMatcher } from './matcher.ts';

const loadRequest = onDemand(() => import('../../core/translate/request.ts'));

/** LLxprt's protocol, for LLxprt's own files only. */
export const llxprt: Dialect = {
  name: 'llxprt',
  family: 'llxprt',
  events: HookEventName,
  needsSwitch: true,
  settings: 'llxprt',
  unasked: 'passes',
  missingProgram: 'noted',
  guarded: [
    '.llxprt/settings.json',
    '.llxprt/hookmachine-*',
    '.llxprt/trusted*.json',
    '.llxprt/.env',
    '.llxprt/hooks/',
    '.llxprt/extensions/',
  ],
  mayBeIn: () => true,
  // Hooks come from settings and extensions and are checked entry by entry.
  find: (site) =>
    hooksOf('llxprt', site, ({ file }) => ({
      // Only settings in code can hold functions.
      kinds: ['command', 'plugin', ...(file === undefined ? (['function'] as const) : [])],
    })),
  identity: identityOf,
  matcherOf: ({ event, matcher }) => (usesOf(event) === 'ignored' ? undefined : matcher || '*'),
  toolNames: async (hook) => (await import('./tool-names.ts')).toolNames(hook),
  compileMatcher: ({ event, matcher }, onUndecided) => compileMatcher(event, matcher, onUndecided),
  // One group that asks for a sequence turns all of them into one.
  mode: (hooks) => (hooks.some(({ sequential }) => sequential) ? 'sequential' : 'parallel'),
  environment: (_, { cwd }) => ({
    LLXPRT_PROJECT_DIR: cwd,
    GEMINI_PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
  }),
  stdin: (_, payload) => payload,
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  chain: chainPayload,
  merge: (event, answers) => mergeAnswers(event, answers),
  // An event's own fields are already in canonical form.
  async readCall(event, given) {
    const checked = checkEventFields(event as HookEventName, await withStableRequest(given));
    return 'faults' in checked ? checked : { fields: checked.fields, context: {} };
  },
  // The report already contains everything.
  reportCall: () => ({}),
  write: async () => (await import('./write.ts')).writer,
};

/**
 * Returns what the next hook of a sequence receives: the changes so far, spread over the input key by
 * key. Only a successful hook changes anything.
 */
export function chainPayload(
  event: HookEventName,
  payload: HookPayload,
  answer: Answer,
): HookPayload {
  const specific = answer.output?.hookSpecificOutput;
  if (!answer.success || specific === undefined) return payload;
  switch (event) {
    case 'BeforeTool':
      return spread(payload, 'tool_input', specific['tool_input']);
    case 'BeforeModel':
      return spread(payload, 'llm_request', specific['llm_request']);
    // A later redactor must not undo an earlier one.
    case 'AfterModel':
      return spread(payload, 'llm_response', specific['llm_response']);
    case 'BeforeAgent': {
      const context = specific['additionalContext'];
      return typeof context === 'string' && context !== ''
        ? { ...payload, prompt: `${String(payload['prompt'])}\n\n${context}` }
        : payload;
    }
    default:
      return payload;
  }
}

function spread(payload: HookPayload, key: string, change: unknown): HookPayload {
  if (!isRecord(change)) return payload;
  const before = payload[key];
  return { ...payload, [key]: { ...(isRecord(before) ? before : {}), ...change } };
}

/** Hooks see requests in only one form; the `contents` of LLxprt's documentation is converted to it. */
async function withStableRequest(given: Readonly<Record<string, unknown>>) {
  const request = given['llm_request'];
  if (!isRecord(request) || 'messages' in request || !('contents' in request)) return given;
  const { normalizeHookLLMRequest } = await loadRequest();
  const { contents: _, generationConfig: __, systemInstruction: ___, ...rest } = request;
  return { ...given, llm_request: { ...rest, ...normalizeHookLLMRequest(request).request } };
}

/** Returns the hooks in one owner's settings, whose format may differ from source to source. */
export function hooksOf(
  owner: SettingsOwner,
  site: HookSite,
  formatOf: (from: HooksFromSource) => SettingsFormat,
): FoundHooks {
  const own = site.settings().filter((from) => (from.owner ?? 'llxprt') === owner);
  const read = own.map((from) => defineHooks(from, formatOf(from)));
  return {
    definitions: read.flatMap(({ definitions }) => definitions),
    problems: read.flatMap(({ problems }) => problems),
    unasked: [],
  };
}

/**
 * Returns the command alone, unless it names a variable of its own source: `${extensionPath}/x` is a
 * different script in each extension.
 */
export function identityOf({ event, type, command, name, env, call }: HookDefinition): string {
  if (type === 'plugin') return `${event} plugin:${name}`;
  if (call !== undefined) return `${event} function:${numberOf(call)}`;
  const own = Object.entries(env).filter(([variable]) => command.includes(variable));
  return `${event} ${type}:${command}${own.length > 0 ? JSON.stringify(own) : ''}`;
}

const numbers = new WeakMap<object, number>();
let functionsKnown = 0;

/** Numbers functions, because they have no text that tells them apart. */
function numberOf(call: object): number {
  const number = numbers.get(call) ?? functionsKnown++;
  numbers.set(call, number);
  return number;
}
