import type { HookPayload } from '../../../machines/hook-event.ts';
import { presentDialectsWith } from '../../hosts/all/known.ts';
import { subjectOf } from '../../core/plan/hook-planner.ts';
import { sampleStdin } from '../../workbench/matrix/sample-stdin.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import type { FireOptions } from './fire-options.ts';
import { hookAskedFor } from './hook-asked-for.ts';
import { lookAtHooks } from '../../workbench/parts/look-at-hooks.ts';
import { print } from '../parts/print.ts';
import { printableJson } from '../parts/printable.ts';

/** Prints fields that fit an event, as `fire` reads them on stdin. */
export async function printSample(
  name: string,
  options: FireOptions,
  folder: string,
  isOnTerminal: boolean,
): Promise<void> {
  const { dialect, hook } = options;
  const isWanted =
    hook === undefined ? undefined : await fitsHook(hook, dialect.events[name]!, folder, options);
  const fields = await sampleStdin(dialect, name, folder, isWanted);
  if (fields === undefined)
    throw new CommandFailure(
      `there is no sample of ${name}: only the agents that ${dialect.name} names know its fields, so see their documentation`,
    );
  print(`${printableJson(fields, isOnTerminal ? 2 : undefined)}\n`);
}

/** Returns a test of whether the hook that the user named runs for a call. */
async function fitsHook(
  named: string,
  event: HookEventName,
  folder: string,
  { dialect, dialects = presentDialectsWith(dialect), trust }: FireOptions,
): Promise<(payload: HookPayload) => boolean> {
  const isNamed = await hookAskedFor(named, folder, dialects, trust);
  const { hooks, registry } = await lookAtHooks(folder, dialects, trust);
  const meant = hooks.filter((hook) => hook.event === event && isNamed(hook));
  return (payload) =>
    meant.some((hook) => {
      const own = registry.dialects.get(hook.dialect)!;
      const subject = subjectOf(event, payload);
      const matches = own.compileMatcher(hook, () => undefined);
      // Asking a hook that runs once a session would use up its one run.
      const applies = hook.once ? true : (own.applies?.(hook, payload) ?? true);
      return (subject === undefined || matches(subject)) && applies;
    });
}
