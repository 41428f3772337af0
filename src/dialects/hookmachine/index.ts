import { existsSync } from 'node:fs';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import {
  allEvents,
  eventNamed,
  hookPointOf,
  hookPoints,
  type HookEventName,
} from '../../hook-points.ts';
import { isRecord } from '../../protocol/output.ts';
import { ownKinds } from '../../settings/known-keys.ts';
import { settingsPlaces } from '../../settings/levels.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { Answer } from '../answer.ts';
import { isDenyingText } from '../deciding-words.ts';
import type { Dialect } from '../dialect.ts';
import { readAnswer as readPlainly } from '../llxprt/answer.ts';
import { hooksOf, llxprt } from '../llxprt/index.ts';
import { intersectToolConfigs, mergeAnswers } from '../llxprt/merge-answers.ts';
import type * as Rules from '../claude-code/rules.ts';
import type { SubCommands } from '../claude-code/rules.ts';
import { embeddedObjects } from '../printed-json.ts';

/** By each name of an event, ours and the API's, the event. */
const events: Readonly<Record<string, HookEventName>> = {
  ...Object.fromEntries(allEvents.map((event) => [event, event])),
  ...Object.fromEntries(Object.entries(hookPoints).map(([id, { event }]) => [id, event])),
};

const { unasked: _unasked, ...spoken } = llxprt;

/** Loaded where a hook needs them. */
let rules: typeof Rules | undefined;
let subCommands: SubCommands | undefined;
let toldInSession: ((sessionId: string, line: string) => boolean) | undefined;

/** The hooks that ran, by session, of those that run once. */
const ran = new Set<string>();

/** Whether a hook that runs once a session has yet to run in this one; from now on it has. */
function isFirst(hook: HookDefinition, { session_id: session }: HookPayload): boolean {
  const about = `once ${JSON.stringify([hook.file, hook.place, hook.event, hook.command])}`;
  const key = `${String(session)} ${about}`;
  if (ran.has(key)) return false;
  ran.add(key);
  return toldInSession?.(String(session), about) !== true;
}

/** Our own hooks: LLxprt's format and protocol in `.hookmachine/settings.json`, with every kind of handler. */
export const hookmachine: Dialect = {
  ...spoken,
  name: 'hookmachine',
  family: 'hookmachine',
  events,
  needsSwitch: false,
  settings: 'hookmachine',
  approves: true,
  guarded: ['.hookmachine/'],
  mayBeIn: (cwd, counts = () => true) =>
    settingsPlaces(cwd).some(
      ({ owner, source, file }) => owner === 'hookmachine' && counts(source) && existsSync(file),
    ),
  find: async (site) => {
    const found = hooksOf('hookmachine', site, () => ({
      kinds: ownKinds,
      eventNames: Object.keys(events),
      eventOf: eventNamed,
    }));
    const { definitions } = found;
    if (definitions.some((hook) => hook.if !== undefined))
      [rules, { subCommands }] = await Promise.all([
        import('../claude-code/rules.ts'),
        import('../claude-code/sub-commands.ts'),
      ]);
    if (definitions.some(({ once }) => once))
      ({ toldInSession } = await import('../../settings/told-in-session.ts'));
    return found;
  },
  applies: (hook, payload) =>
    (hook.if === undefined || rules?.ruleAppliesTo(hook.if, payload, subCommands) !== false) &&
    (!hook.once || isFirst(hook, payload)),
  identity: (hook) => JSON.stringify([spoken.identity(hook), hook.if, hook.args]),
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  merge: (event, answers) => mergeAnswers(event, answers, intersectToolConfigs),
  readCall: (event, given) => llxprt.readCall(events[event] ?? event, given),
};

/**
 * What a hook's ended process means: what it means to LLxprt, but only a hook that says so approves
 * (S-01), and where a guard counts one that evidently meant to deny denies (S-04).
 */
function readAnswer(event: HookEventName, outcome: HookProcessOutcome, told: HookPayload): Answer {
  const answer = readPlainly(event, outcome, told);
  const { decision, plainText, status, stdout } = answer;
  if (status !== 'ok' || decision === 'deny') return answer;
  const denial = hookPointOf(event).needsGuards ? denialIn(stdout) : undefined;
  if (denial === undefined)
    return plainText && decision === 'allow' ? { ...answer, decision: undefined } : answer;
  const reason = typeof denial['reason'] === 'string' ? denial['reason'] : 'Blocked by hook';
  const { unreadable: _, ...readable } = answer;
  return {
    ...readable,
    decision: 'deny',
    reason,
    plainText: false,
    effects: plainText ? [] : answer.effects,
    // Beside the denial all that it said stands, a stop above all.
    output: { ...(!plainText && answer.output), decision: 'deny', reason },
    notes: [
      ...answer.notes.filter((note) => !note.startsWith('a denial was NOT read')),
      'its denial counts, though it is not written as it should be: print {"decision": "deny"} alone',
    ],
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The object by which a hook denies, however it is spelt and whatever stands around it. */
function denialIn(stdout: string): Fields | undefined {
  const whole = parsed(stdout);
  const objects = whole === undefined ? [...embeddedObjects(stdout)].map(parsed) : [whole];
  return objects.filter(isRecord).find(denies);
}

function denies(object: Fields): boolean {
  const { hookSpecificOutput: specific } = object;
  return [object, ...(isRecord(specific) ? [specific] : [])].some(
    ({ decision, permissionDecision }) =>
      isDenyingText(decision) || isDenyingText(permissionDecision),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
