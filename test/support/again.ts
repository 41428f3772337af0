import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { FireOptions } from '../../src/core/run/planned-event.ts';
import type { HookSystem } from '../../src/hosts/system/hook-system.ts';
import type { HookEventName } from '../../src/core/protocol/events.ts';
import type { HookEventFields } from '../../src/core/protocol/input.ts';
import type { AggregatedHookResult } from '../../src/core/answers/results.ts';
import { sameAnswers } from './same-answers.ts';
import { installed } from './main.ts';

/*
 * Most tests fire events in their own process. People fire them with the built command, which loads its parts
 * in another way. With an installed command, what a test fires is fired again when the test ends, by the
 * command and by the sources, each with the files as they were: both must print the same.
 */

/** Fires events of a session, as its method `fire` does. */
type Fire = <Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
  options?: FireOptions,
) => Promise<AggregatedHookResult>;

/**
 * Fires events of a session in the process of the test. `files` are those that the session's hooks would come
 * from if they were not given in code.
 */
export const firing =
  (system: HookSystem, project: string, files?: Files): Fire =>
  (event, fields, options) => {
    fireAgain(project, event, fields, files);
    return system.getEventHandler().fire(event, fields, options);
  };

/** Files of the project by path, as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** How often something is fired again for the test with this name: what comes later is much the same. */
const fired = { test: '', times: 0 };
const mostTimes = 1;

function timesFired(): number {
  const test = expect.getState().currentTestName ?? '';
  if (fired.test !== test) Object.assign(fired, { test, times: 0 });
  return fired.times;
}

/** Has this event fired again at the end of the running test, if there is an installed command. */
export function fireAgain(project: string, event: string, fields: unknown, files?: Files): void {
  const again = preparedAgain(project, event, fields, files);
  if (again !== undefined) onTestFinished(again);
}

/**
 * Has an event fired at the end of the running test if it is one about settings that has fired none: what the
 * settings mean must be the same in the command.
 */
export function fireAtEnd(project: string): void {
  if (installed === undefined || !expect.getState().testPath?.includes('/settings/')) return;
  onTestFinished(async () => {
    if (timesFired() === 0) await preparedAgain(project, 'BeforeTool', someTool)?.();
  });
}

const someTool = { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'text' } };

/** Keeps the test's files as they are now, and returns what fires the event with them. */
function preparedAgain(
  project: string,
  event: string,
  fields: unknown,
  files: Files = {},
): (() => Promise<void>) | undefined {
  if (installed === undefined || timesFired() >= mostTimes || vi.isFakeTimers()) return undefined;
  const folder = folderOfTest(project);
  if (folder === undefined) return undefined;
  const kept = `${folder} kept ${++fired.times}`;
  execFileSync('cp', ['-a', folder, kept]);
  for (const [name, content] of Object.entries(files))
    writeMissing(join(kept, relative(folder, project), name), JSON.stringify(content));
  const { HOME = '' } = process.env;
  const env = {
    HOME: folderOfTest(HOME) === folder ? HOME : join(folder, 'nobody'),
    XDG_STATE_HOME: '',
  };
  const place = { project, env, systemFolder: join(folder, 'etc') };
  const input = JSON.stringify(fields);
  return () => sameAnswers(place, ['fire', event], input, () => restore(folder, kept));
}

function writeMissing(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, text);
}

/** The folder of the running test that a path is in. */
function folderOfTest(path: string): string | undefined {
  const [name = ''] = relative(tmpdir(), path).split(sep);
  const folder = join(tmpdir(), name);
  return name === '' || name === '..' || !existsSync(folder) ? undefined : folder;
}

function restore(folder: string, kept: string): void {
  for (const name of readdirSync(folder))
    rmSync(join(folder, name), { recursive: true, force: true });
  execFileSync('cp', ['-a', `${kept}/.`, folder]);
}
