import { existsSync } from 'node:fs';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import {
  allEvents,
  eventNamed,
  hookPointOf,
  hookPoints,
  type HookEventName,
} from '../../core/points/hook-points.ts';
import type { HookOutput } from '../../core/protocol/output.ts';
import { commentKey } from '../../settings/format/field.ts';
import { reserved } from '../../settings/format/settings-fields.ts';
import { bundlePlaces, holdsBundles, settingsPlaces } from '../../settings/files/levels.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  defaultReason,
  replacement,
  type Answer,
  type NamedAnswer,
} from '../../core/answers/answer.ts';
import { isDenyingText } from '../parts/deciding-words.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookSite } from '../../core/dialects/hook-site.ts';
import { readExit as readPlainly } from '../plain/answer.ts';
import { defineGuards } from '../../guards/define-guards.ts';
import { hooksOf, llxprt } from '../llxprt/index.ts';
import { intersectToolConfigs, mergeAnswers } from '../plain/merge-answers.ts';
import type { BundledHooks } from '../../settings/bundles/bundled-hooks.ts';
import type * as Rules from '../parts/permission-rules.ts';
import type { RuledCall, SubCommands } from '../parts/permission-rules.ts';
import { withLostDenial } from '../parts/near-misses.ts';
import { embeddedObjects } from '../parts/printed-json.ts';
import { readOutcome, type LateDenials } from '../../core/answers/process-facts.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import { onDemand } from '../../base/on-demand.ts';
import { defined, isRecord } from '../../base/json.ts';
import { keptInProcess } from '../../base/surroundings.ts';

/** What settings without a budget define. */
const none = { definitions: [], problems: [] };

const loadBudget = onDemand(() => import('../../guards/budget/define-budget.ts'));
const loadDefineCedar = onDemand(() => import('../../guards/policies/define-cedar.ts'));
const loadRules = onDemand(() => import('../parts/permission-rules.ts'));
const loadClaudeCalls = onDemand(() => import('../claude-code/calls.ts'));
const loadSubCommands = onDemand(() => import('../../shell/sub-commands.ts'));
const loadReportedInSession = onDemand(() => import('../../settings/files/reported-in-session.ts'));
const loadBundledHooks = onDemand(() => import('../../settings/bundles/bundled-hooks.ts'));

/** The events, by our names and by the API's. */
const events: Readonly<Record<string, HookEventName>> = {
  ...Object.fromEntries(allEvents.map((event) => [event, event])),
  ...Object.fromEntries(Object.entries(hookPoints).map(([id, { event }]) => [id, event])),
};

const { unasked: _unasked, missingProgram: _missingProgram, ...spoken } = llxprt;

/** Loaded only when a hook needs them. */
let rules: typeof Rules | undefined;
let subCommands: SubCommands | undefined;
let ruledCall: ((payload: HookPayload) => RuledCall | undefined) | undefined;
let reportedInSession: ((sessionId: string, line: string) => boolean) | undefined;

/** The hooks with `once` that have already run, by session. */
const ran = keptInProcess(() => new Set<string>());

/**
 * Whether a hook with `once` has not run in this session yet; marks it as run. An administrator's hook is
 * recorded only in this process, because the user can write to the file in which others are recorded.
 */
function isFirst(hook: HookDefinition, { session_id: session, cwd }: HookPayload): boolean {
  const { source, file, place, event, type, command, args } = hook;
  // Sessions of two hosts may have the same id.
  const about = `once ${JSON.stringify([cwd, source, file, place, event, type, command, args])}`;
  const key = `${String(session)} ${about}`;
  if (ran().has(key)) return false;
  ran().add(key);
  return source === 'system' || reportedInSession?.(String(session), about) !== true;
}

/** Our own hooks: LLxprt's format and protocol in `.hookmachine/settings.json`, with all handler kinds. */
export const hookmachine: Dialect = {
  ...spoken,
  name: 'hookmachine',
  family: 'hookmachine',
  events,
  takesHostEvents: true,
  needsSwitch: false,
  settings: 'hookmachine',
  approves: true,
  environment: (hook, input) => ({
    ...spoken.environment(hook, input),
    HOOKMACHINE_PROJECT_DIR: input.cwd,
  }),
  guarded: ['.hookmachine/'],
  mayBeIn: (cwd, counts = () => true) =>
    settingsPlaces(cwd).some(
      ({ owner, source, file }) => owner === 'hookmachine' && counts(source) && existsSync(file),
    ) || bundlePlaces().some((place) => counts(place.source) && holdsBundles(place)),
  find: async (around) => {
    const { site, bundled } = await withBundles(around);
    const sameEvent = hasOtherEvents(site) ? await site.loadSameEvent?.() : undefined;
    const found = hooksOf('hookmachine', site, () => ({
      kinds: 'ours',
      eventNames: Object.keys(events),
      eventOf: eventNamed,
      meant: (name) => sameEvent?.(name, events)?.names.at(-1),
    }));
    const ours = site.settings().filter(({ owner }) => owner === 'hookmachine');
    const guards = defineGuards(ours, site.loadIsGuarded);
    const budget = ours.some((one) => one.budget !== undefined)
      ? (await loadBudget()).defineBudget(ours)
      : none;
    const definitions = found.definitions.some(({ type }) => type === 'cedar')
      ? (await loadDefineCedar()).defineCedar(found.definitions)
      : found.definitions;
    const ruled = definitions.filter((hook) => hook.if !== undefined);
    if (ruled.length > 0)
      [rules, { subCommands }, { ruledCall }] = await Promise.all([
        loadRules(),
        loadSubCommands(),
        loadClaudeCalls(),
      ]);
    if (definitions.some(({ once }) => once))
      ({ reportedInSession } = await loadReportedInSession());
    return {
      ...found,
      definitions: [
        ...(bundled?.denials ?? []),
        ...guards.definitions,
        ...budget.definitions,
        ...definitions,
      ],
      problems: [
        ...(bundled?.problems ?? []),
        ...guards.problems,
        ...budget.problems,
        ...found.problems,
        ...ruled.flatMap(ruleProblems),
      ],
    };
  },
  applies: (hook, payload) =>
    (hook.if === undefined ||
      rules?.ruleAppliesTo(hook.if, ruledCall?.(payload), subCommands) !== false) &&
    (!hook.once || isFirst(hook, payload)),
  // Policies ask who acts.
  stdin: ({ type }, payload, { agent }) =>
    type === 'cedar' && agent !== undefined ? { ...payload, agent } : payload,
  read: ({ event }, outcome, payload) => readAnswer(event, outcome, payload),
  merge: (event, answers) =>
    withResults(withDenialReason(mergeAnswers(event, answers, intersectToolConfigs)), answers),
  readCall: (event, given) => llxprt.readCall(events[event] ?? event, given),
  write: async () => (await import('./write.ts')).writer,
};

/** Adds the hooks in bundles to those of the settings; the verifying code is loaded only if there are any. */
async function withBundles(
  site: HookSite,
): Promise<{ readonly site: HookSite; readonly bundled?: BundledHooks }> {
  const bundles = site.bundles?.();
  if (bundles === undefined) return { site };
  const { bundledHooks } = await loadBundledHooks();
  const bundled = bundledHooks(bundles, (source) => site.deniesUnknown?.(source) === true);
  const settings = [...site.settings(), ...bundled.sources];
  return { site: { ...site, settings: () => settings }, bundled };
}

/** Whether our own settings name an event that may be another host's. */
const hasOtherEvents = (site: HookSite): boolean =>
  site
    .settings()
    .some(
      ({ owner, hooks }) =>
        owner === 'hookmachine' &&
        isRecord(hooks) &&
        Object.keys(hooks).some(
          (name) =>
            eventNamed(name) === undefined && !reserved.includes(name) && !commentKey.test(name),
        ),
    );

/** A hook still runs if its rule cannot be parsed or its event is not about a tool call. */
function ruleProblems({ if: rule = '', event, file, place }: HookDefinition): SettingsProblem[] {
  const problem = (message: string, fix: string): SettingsProblem[] => [
    {
      ...(file !== undefined && { file }),
      place: `${place}.if`,
      message: `${message}, so the hook runs for everything its matcher matches`,
      fix,
    },
  ];
  if (rules?.parseRule(rule) === undefined)
    return problem(
      `${said(rule)}, which is not a rule`,
      'write one rule, such as "Bash(git push *)"',
    );
  const isOfTools = event.startsWith('host.') || hookPointOf(event).subject === 'tool_name';
  return isOfTools
    ? []
    : problem('applies only to tool calls, and this event has none', 'remove it');
}

/** Adds the tool's result as hooks changed it: the last one as a whole. */
function withResults(verdict: Verdict, answers: readonly NamedAnswer[]): Verdict {
  const last = answers.findLast(({ answer }) => replacement(answer, 'tool_response'));
  if (last === undefined) return verdict;
  const whole = replacement(last.answer, 'tool_response')!;
  return {
    ...verdict,
    changes: { ...verdict.changes, tool_response: { whole } },
    setBy: { ...verdict.setBy, tool_response: last.hook },
  };
}

/** The API too shows only a denial's own reasons, not those of hooks that ask or allow. */
function withDenialReason(verdict: Verdict): Verdict {
  const { decision, reason, output } = verdict;
  if (decision !== 'deny' || reason === undefined || output === undefined) return verdict;
  const { hookSpecificOutput: specific } = output;
  const hookSpecificOutput = specific?.['permissionDecisionReason']
    ? { ...specific, permissionDecisionReason: reason }
    : specific;
  return { ...verdict, output: defined<HookOutput>({ ...output, reason, hookSpecificOutput }) };
}

/**
 * Reads a hook's ended process as LLxprt does, except that only a hook that says so approves, and
 * that at events which need guards a hook that evidently meant to deny does deny.
 */
const readAnswer = (
  event: HookEventName,
  outcome: HookProcessOutcome,
  received: HookPayload,
): Answer =>
  withResult(
    event,
    withLostDenial(readOutcome(outcome, (exit) => readExit(event, exit, received), lateDenials)),
  );

/** Unlike LLxprt's, our hooks may give a tool's result back changed, as `hookSpecificOutput.tool_response`. */
function withResult(event: HookEventName, answer: Answer): Answer {
  const value = answer.output?.hookSpecificOutput?.['tool_response'];
  if (event !== 'AfterTool' || answer.status !== 'ok' || !isRecord(value)) return answer;
  return {
    ...answer,
    effects: [...answer.effects, { kind: 'replace', slot: 'tool_response', value }],
    notes: answer.notes.filter((note) => !note.includes('tool_response')),
  };
}

/** No other host would ignore them. */
const lateDenials: LateDenials = {};

function readExit(event: HookEventName, exit: HookExit, received: HookPayload): Answer {
  // What was cut off after a whole denial does not matter to it.
  const isCut = exit.exitCode === 0 && exit.truncated.includes('stdout');
  const read = readPlainly(event, exit, received);
  const answer = isCut ? readPlainly(event, { ...exit, truncated: [] }, received) : read;
  const { decision, plainText, status } = answer;
  if (status !== 'ok' || read.decision === 'deny') return read;
  const denial = hookPointOf(event).needsGuards ? denialIn(exit.stdout) : undefined;
  if (denial === undefined)
    return plainText && decision === 'allow' ? { ...read, decision: undefined } : read;
  const reason = typeof denial['reason'] === 'string' ? denial['reason'] : defaultReason;
  const { unreadable: _, ...readable } = answer;
  return {
    ...readable,
    decision: 'deny',
    reason,
    plainText: false,
    effects: plainText ? [] : answer.effects,
    // The rest of the answer counts alongside the denial, above all a stop.
    output: { ...(!plainText && answer.output), decision: 'deny', reason },
    notes: [
      ...answer.notes.filter((note) => !saysIgnored.test(note)),
      'its denial counts, although it is not written correctly: print {"decision": "deny"} alone',
    ],
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Notes on a decision that was not read, which are untrue where the denial counts. */
const saysIgnored = /^(?:a denial was NOT read|"decision" is )/;

/** Finds the object with which a hook denies, in any spelling and with any text around it. */
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
