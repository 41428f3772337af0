// oxlint-disable-next-line import/no-unassigned-import -- it must come before all that needs it
import './surroundings.ts';
import { runToolCall } from '../../src/core/calls/run-tool-call.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { formatProblem } from '../../src/core/definitions/problem.ts';
import { allEvents, eventNamed } from '../../src/core/points/hook-points.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import type { JournalEntry } from '../../src/watch/journal/entry.ts';
import { journalTo } from '../../src/watch/journal/journal.ts';
import { useFiles } from './disk.ts';
import { type RunScript, type ScriptAnswer, silent, useAnswers } from './scripts.ts';

/** What the reader of the page gives. */
export interface Play {
  /** Where the settings are in the project, such as `.hookmachine/settings.json`. */
  readonly place: string;
  readonly settings: string;
  /** `tool` for a whole tool call, or an event of which only the hooks are run. */
  readonly event: string;
  /** The event's fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the commands of hooks answer, by their text. */
  readonly answers: Readonly<Record<string, ScriptAnswer>>;
}

/** A hook that is registered. */
export interface PlayedHook {
  readonly name: string;
  readonly event: string;
  readonly dialect: string;
  readonly type: string;
}

/** What happened. */
export interface Played {
  readonly hooks: readonly PlayedHook[];
  readonly entries: readonly JournalEntry[];
  readonly scripts: readonly RunScript[];
  readonly warnings: readonly string[];
  /** What the model gets for a tool call. */
  readonly forModel: string | undefined;
  readonly results: readonly AggregatedHookResult[];
}

/** The events that can be played by themselves. */
export const eventNames: readonly string[] = allEvents;

/** Takes one event through the hooks that settings define, with the engine as it is. */
export async function play({ place, settings, event, fields, answers }: Play): Promise<Played> {
  const entries: JournalEntry[] = [];
  const scripts: RunScript[] = [];
  const warnings: string[] = [];
  useFiles({ [`/project/${place}`]: settings });
  useAnswers(
    (command) => answers[command] ?? silent,
    (script) => scripts.push(script),
  );
  const config = createConfig({
    cwd: '/project',
    dialects: 'present',
    isTrustedFolder: () => true,
    checkTrust: () => ({ trusted: true }),
    // Moments are counted rather than measured, so that no two are the same.
    inspect: journalTo((entry) => entries.push(entry), {
      now: () => entries.length,
      payloads: true,
    }).observe,
    onWarning: (line) => warnings.push(line),
  });
  const system = config.getHookSystem();
  await system?.initialize();
  for (const problem of system?.getRegistry().problems ?? []) warnings.push(formatProblem(problem));
  const hooks = (system?.getRegistry().getAllHooks() ?? []).map((hook) => ({
    name: hook.name,
    event: hook.event,
    dialect: hook.dialect,
    type: hook.type,
  }));
  const end = (forModel: string | undefined, results: readonly AggregatedHookResult[]): Played => {
    system?.dispose();
    return { hooks, entries, scripts, warnings: [...new Set(warnings)], forModel, results };
  };
  if (event !== 'tool') {
    const known = eventNamed(event);
    if (known === undefined) throw new Error(`there is no event ${event}`);
    const result = await system!.getEventHandler().fire(known, fields);
    return end(undefined, [result]);
  }
  const { tool_name: name, tool_input: input } = fields;
  const { toolResult, before, after } = await runToolCall(
    config,
    { id: 'call-1', name: String(name), input: input as Readonly<Record<string, unknown>> },
    () => Promise.resolve({ llmContent: 'The tool ran.', returnDisplay: 'The tool ran.' }),
  );
  const { llmContent } = toolResult;
  return end(
    typeof llmContent === 'string' ? llmContent : JSON.stringify(llmContent),
    [before, after].filter((result) => result !== undefined),
  );
}
