import type { Dialect } from '../../core/dialects/dialect.ts';
import { subjectOf } from '../../core/plan/hook-planner.ts';
import { makeEmptySuccessResult } from '../../core/answers/results.ts';
import { folderTrust } from './folder-trust.ts';
import { hasNoHook, tellUser } from './has-no-hook.ts';
import { whichHooks } from './no-hooks-option.ts';
import { reportMissingGuards } from './report-missing.ts';
import type { Fired, FiredEvent, RunOptions } from './run-hooks.ts';
import { sessionNotes, reportedBefore } from './session-notes.ts';

/** Which hooks run, and for whom. */
interface ThroughOptions extends RunOptions {
  /** Ends the hooks once the caller of this process is gone. */
  readonly endsWithCaller?: boolean;
}

/**
 * Takes an event from outside through the hooks of these dialects. Nothing is loaded for hooks that do not
 * run. What was reported once in a session is not reported again.
 */
export async function throughHooks(
  fired: FiredEvent,
  dialects: readonly Dialect[],
  options: ThroughOptions,
  session: string | undefined,
): Promise<Fired> {
  const { event, fields, parts = [], folder, runsElsewhere } = fired;
  const { hooks, trust, recordedBy, endsWithCaller, life } = options;
  // Hooks of dialects without this event need not be found.
  const meant = dialects.filter(
    ({ events, takesHostEvents }) =>
      (takesHostEvents && event.startsWith('host.')) || Object.values(events).includes(event),
  );
  if (hooks) await reportMissingGuards(folder, session);
  const subjects = [fields, ...parts].map((one) => subjectOf(event, one));
  const notes = { onNote: sessionNotes(tellUser, session), wasReported: reportedBefore(session) };
  // A first look costs as much as the hook system, and saves loading that only where there is no hook.
  if (recordedBy === undefined && life?.hadHooks(folder) !== true) {
    const look = {
      cwd: folder,
      ...notes,
      runsElsewhere,
      ...whichHooks(hooks),
      ...folderTrust(folder, trust),
    };
    const { hasNone, isUnread } = await hasNoHook(look, meant, event, subjects);
    if (hasNone) return { result: makeEmptySuccessResult(), isUnread, warn: tellUser };
  }
  // Starts a process that hooks need while their code is loaded.
  const { orderFifos, loadCallerWatch } = await import('../../handlers/process/index.ts');
  orderFifos();
  // Hooks end with this process, and nobody is left to read its answer.
  const unwatch = endsWithCaller ? (await loadCallerWatch())(() => process.exit(1)) : undefined;
  const { runHooks } = await import('./run-hooks.ts');
  return runHooks(fired, meant, options, notes).finally(unwatch);
}
