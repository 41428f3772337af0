import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { sameEvent } from '../../hosts/all/same-event.ts';
import { knownDialects, presentDialects, presentDialectsWith } from '../../hosts/all/known.ts';
import { differences, type Difference } from './judge.ts';
import type { HookTest } from './read-tests.ts';
import { outcomeOf, type Outcome } from '../matrix/outcome.ts';
import { namesOf, runAs, type Trial } from '../matrix/run-as.ts';
import { isRecord, inTable } from '../../base/json.ts';
import { nearestKey } from '../../settings/format/unknown-names.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { callOutcome } from '../../hosts/relay/call-outcome.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { fireIn, hooksConfig } from '../../hosts/relay/run-hooks.ts';
import { scriptNamed } from '../parts/script-named.ts';

/** The result of one run of a test. */
export interface TestRun {
  /** Where it ran, when the test runs in several places. */
  readonly under?: string;
  readonly differences: readonly Difference[];
  /** Further lines that help to see why. */
  readonly notes: readonly string[];
}

/** Which hooks a test runs. */
export interface TestOptions {
  readonly trust?: true;
  /** The config whose hooks run in place of the project's; only the hook of that name, if one is given. */
  readonly configFor?: (
    named: string | undefined,
    warn: (line: string) => void,
  ) => HookSystemConfig;
}

/**
 * Runs a test in the project folder.
 *
 * @throws {CommandFailure} when it cannot be run
 */
export async function runHookTest(
  test: HookTest,
  folder: string,
  options: TestOptions,
): Promise<readonly TestRun[]> {
  const { dialect: named = knownDialects[0]!.name, event: name, hook, input, expect } = test;
  const isForAll = named === 'all';
  if (isForAll && hook === undefined)
    throw new CommandFailure(
      '"dialect: all" runs one script as a hook of each dialect: name it with "hook"',
    );
  const dialect = isForAll ? knownDialects[0]! : knownDialects.find((one) => one.name === named)!;
  const event = inTable(dialect.events, name);
  if (event === undefined) {
    const names = Object.keys(dialect.events);
    const same = sameEvent(name, dialect.events);
    const meant = same
      ? `${same.names.join(' or ')}, or "dialect: ${same.dialect}"`
      : (nearestKey(name, names) ?? `one of ${names.join(', ')}`);
    throw new CommandFailure(`${dialect.name} has no event "${name}": use ${meant}`);
  }
  const read = await dialect.readCall(name, input);
  if ('faults' in read)
    throw new CommandFailure(`its input does not match ${name}: ${read.faults.join('; ')}`);
  const file = hook === undefined ? undefined : fileOf(hook, test.file, folder);
  if (hook === undefined || (options.configFor && file === undefined))
    return [await testInstalled(test, dialect, { event, read, folder }, options)];
  const script = await scriptNamed(file ?? hook, folder, {
    timeout: 60_000,
    ...(options.trust && { trust: options.trust }),
  });
  const { fields, context } = read;
  const trial: Trial = { event, fields, context, cwd: folder };
  const runs: TestRun[] = [];
  // One after another: a script may write a file.
  for (const one of isForAll ? presentDialects : [dialect])
    for (const own of isForAll ? namesOf(one, event) : [name]) {
      const row = await runAs(one, own, script, trial);
      if (row === undefined) continue;
      const actual = isForAll ? row.host : await inWordsOf(dialect, fields, row.host);
      runs.push({
        ...(isForAll && { under: `${row.dialect} ${row.event}` }),
        differences: differences(expect, actual),
        notes: [
          `the hook ${endOf(row)}`,
          ...row.notes,
          ...(row.ignored ? [`${row.dialect} ignores what it said: ${row.ignored.why}`] : []),
        ],
      });
    }
  if (runs.length === 0)
    throw new CommandFailure(`${named} never asks a hook of ${name} about such a call`);
  return runs;
}

/** Tests the hooks that the project's settings, or those of the test, hold for an event. */
async function testInstalled(
  { event: name, hook, expect }: HookTest,
  dialect: Dialect,
  { event, read, folder }: { event: HookEventName; read: ReadCall; folder: string },
  { configFor, trust }: TestOptions,
): Promise<TestRun> {
  const { fields, context, parts } = read;
  const warnings: string[] = [];
  const onWarning = (line: string) => void warnings.push(line);
  const config = configFor
    ? configFor(hook, onWarning)
    : await hooksConfig(
        { folder },
        presentDialectsWith(dialect),
        { hooks: true, ...(trust && { trust }) },
        { onWarning },
      );
  const fired = { event, fields, context, folder, canAsk: true };
  const whole = parts ? { ...fired, parts: parts.calls, partsFor: dialect.family } : fired;
  const actual = await fireIn(config, whole);
  const areSkipped = config.skipsProjectHooks?.() === true || warnings.some(isOfSkipped);
  config.getHookSystem()?.dispose();
  const { verdict, toolInput } = callOutcome(whole, actual, parts);
  const outcome = outcomeOf(verdict, { ...fields });
  const result = toolInput
    ? { ...outcome, changes: { ...outcome.changes, tool_input: toolInput } }
    : outcome;
  const { results } = actual.result;
  return {
    // A hook that never runs does not prove that it lets a call pass.
    differences: [
      ...(areSkipped ? [{ what: 'hooks', expected: 'trusted', actual: 'skipped' }] : []),
      ...differences(expect, await inWordsOf(dialect, fields, result)),
    ],
    notes: [
      ...warnings,
      ...(results.length === 0
        ? [`no hook ran: hookmachine fire ${name} --why says why`]
        : results.map(({ hook: one, ...end }) => `hook "${one.name}" ${endOf(end)}`)),
    ],
  };
}

/** Whether a warning is about a hook that has changed since it was trusted. */
const isOfSkipped = (line: string): boolean => /^hook "[^]*" (?:\(\w+\) )?was skipped: /.test(line);

function endOf({
  exitCode,
  signal,
  timedOut,
  error,
}: {
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly error?: string | Error;
}): string {
  const end = timedOut
    ? 'timed out'
    : signal === undefined
      ? `ended with exit ${exitCode}`
      : `was ended by ${signal}`;
  return error === undefined ? end : `${end}: ${typeof error === 'string' ? error : error.message}`;
}

/** The outcome, with the hooks' changes as the dialect spells them. */
async function inWordsOf(dialect: Dialect, fields: object, actual: Outcome): Promise<Outcome> {
  const { changes } = actual;
  if (changes === undefined) return actual;
  const { tool_input: toolInput = null, tool_response: toolResponse } = changes;
  const own = await dialect.reportCall({
    toolName: 'tool_name' in fields ? String(fields.tool_name) : undefined,
    toolInput,
    toolResponse,
    followUps: [],
  });
  const words = {
    ...(isRecord(own['toolInput']) && { tool_input: own['toolInput'] }),
    ...(isRecord(own['toolOutput']) && { tool_response: own['toolOutput'] }),
  };
  return { ...actual, changes: { ...changes, ...words } };
}

/** A path is relative to the test's file, or else to the project. */
const fileOf = (hook: string, file: string, folder: string): string | undefined =>
  [resolve(dirname(file), hook), resolve(folder, hook)].find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
