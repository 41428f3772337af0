/*
 * The guards that come with hookmachine, for agents that call them directly: the same that settings switch on.
 */

import { explainCommand as explain, type CommandExplanation } from '../guards/explain-command.ts';
import { onDemand } from '../base/on-demand.ts';
import { guardedIn } from '../hosts/guarded/find-guarded.ts';
import { judgeCall, type GuardAnswer, type GuardedEvent } from '../guards/guard-hook.ts';
import { allRules } from '../guards/rules/all.ts';
import type {
  GuardException,
  GuardName,
  GuardSettings,
  GuardStrictness,
} from '../settings/files/read-guards.ts';

export type { CommandExplanation } from '../guards/explain-command.ts';
export type { GuardAnswer, GuardedEvent, GuardException, GuardName, GuardStrictness };
export type { Rule as GuardRule } from '../guards/rules/rule.ts';

const loadFlow = onDemand(() => import('../guards/flow/judge-flow.ts'));
const loadNoteResult = onDemand(() => import('../guards/flow/note-result.ts'));
const loadRedactResult = onDemand(() => import('../guards/redact-result.ts'));

/** What a guard is given besides its name. */
export interface GuardOptions {
  /** `'on'` (the default): its rules' own answers. `'ask'`: a question instead of each denial. */
  readonly strictness?: 'on' | 'ask';
  /** Patterns of paths that nothing may change, for the guard `paths`. */
  readonly protect?: readonly string[];
  /** What rules let through. */
  readonly allow?: readonly GuardException[];
}

/** All rules of all guards: what each does, why, what to do instead, and an example of both kinds. */
export const guardRules = allRules;

/**
 * Returns a guard as a function hook: it takes a BeforeTool event and returns a decision with its reason, or
 * nothing. The guard `flow` must also be a hook of AfterTool, ToolFailed and BeforeAgent, where it notes what the
 * session reads and whom the user names.
 *
 * @example
 * const hooks = { BeforeTool: [{ hooks: [{ type: 'function', call: guard('shell'), onFailure: 'block' }] }] };
 */
export function guard(
  name: GuardName,
  { strictness = 'on', protect = [], allow = [] }: GuardOptions = {},
): (event: GuardedEvent) => Promise<GuardAnswer | undefined> {
  const settings = { strictness: { [name]: strictness }, protect, allow };
  if (name === 'flow') return (event) => flowOf(event, settings);
  let known: { readonly cwd: string; readonly isGuarded: ReturnType<typeof guardedIn> } | undefined;
  return (event) => {
    const cwd = typeof event.cwd === 'string' ? event.cwd : process.cwd();
    if (known?.cwd !== cwd) known = { cwd, isGuarded: guardedIn(cwd) };
    return judgeCall(name, event, settings, { isGuarded: known.isGuarded });
  };
}

async function flowOf(
  event: GuardedEvent & { readonly hook_event_name?: unknown },
  settings: GuardSettings,
): Promise<GuardAnswer | undefined> {
  switch (event.hook_event_name) {
    case 'AfterTool':
    case 'ToolFailed':
      return (await loadNoteResult()).noteResult(event);
    case 'BeforeAgent':
      return (await loadFlow()).notePrompt(event);
    default:
      return (await loadFlow()).judgeFlow(event, settings);
  }
}

/** Replaces the secrets in the result of an AfterTool event; returns nothing if there are none. */
export const redactSecrets = async (event: {
  readonly tool_response?: unknown;
}): Promise<object | undefined> => (await loadRedactResult()).redactResult(event);

/** Works out what a shell command would do in a folder, without running anything, and what the rules say. */
export const explainCommand = (command: string, cwd: string): Promise<CommandExplanation> =>
  explain(command, cwd, guardedIn(cwd));
