import { defineHooks, type SettingsFormat } from '../../settings/files/define-hooks.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { SettingsOwner } from '../../core/definitions/settings.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { checkEventFields } from '../../core/protocol/fields.ts';
import { HookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { readAnswer } from '../plain/answer.ts';
import { chainPayload, mergeAnswers } from '../plain/merge-answers.ts';
import { onDemand } from '../../base/on-demand.ts';
import { usesOf, compileMatcher } from '../plain/matcher.ts';

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
  toolNames: async (hook) => (await import('../plain/tool-names.ts')).toolNames(hook),
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
