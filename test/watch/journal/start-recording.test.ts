import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  startRecording,
  type RecordingOptions,
} from '../../../src/watch/journal/start-recording.ts';
import { callTool } from '../../support/call-tool.ts';
import { RedactionError } from '../../../src/settings/redaction/redact-settings.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

async function recorded(options: RecordingOptions) {
  const warnings: string[] = [];
  const file = join(tempFolder(), 'r.jsonl');
  const recording = startRecording(file, {
    payloads: true,
    onWarning: (line) => void warnings.push(line),
    ...options,
  });
  const input = { customer: 'SECRET', patient: 'SECRET', kept: 'KEPT' };
  await callTool({}, { input, config: { inspect: recording.observe } });
  recording.close();
  return { text: readFileSync(file, 'utf8'), warnings };
}

function projectRedacting(redact: readonly unknown[]): string {
  const { project, files, write } = sandbox();
  write(files.project, { hooksConfig: { redact } });
  return project;
}

test('a recording redacts what the settings of a project say in addition to what the host names', async () => {
  const cwd = projectRedacting(['customer']);
  const { text, warnings } = await recorded({ cwd, redact: ['patient'] });
  expect(text).toContain('KEPT');
  expect(text).not.toContain('SECRET');
  expect(warnings).toEqual([]);
});

test('a broken redaction rule prevents a recording with payloads, and no file is created', () => {
  const cwd = projectRedacting(['customer', '/(/']);
  const file = join(tempFolder(), 'r.jsonl');
  const start = () => startRecording(file, { cwd, payloads: true });
  expect(start).toThrow(RedactionError);
  expect(start).toThrow(
    /settings\.json:\d+:\d+ hooksConfig\.redact\[1\]: is not a regular expression/,
  );
  expect(existsSync(file)).toBe(false);
});

test('a broken redaction rule is reported if no payloads are recorded', () => {
  const cwd = projectRedacting(['/(/']);
  const file = join(tempFolder(), 'r.jsonl');
  const warnings: string[] = [];
  startRecording(file, { cwd, onWarning: (line) => void warnings.push(line) }).close();
  expect(warnings).toEqual([expect.stringContaining('hooksConfig.redact[0]: is not a regular')]);
  expect(readFileSync(file, 'utf8')).toContain(
    'hooksConfig.redact[0]: is not a regular expression',
  );
});

test('a recording uses the settings of the working directory unless the host names another project', async () => {
  const cwd = projectRedacting(['customer', 'patient']);
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(cwd);
  onTestFinished(() => spy.mockRestore());
  const { text } = await recorded({});
  expect(text).toContain('KEPT');
  expect(text).not.toContain('SECRET');
});
