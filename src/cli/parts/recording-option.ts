import type { Command } from 'commander';
import { isHookmachineError } from '../../base/errors.ts';
import type { CreateConfigOptions } from '../../hosts/system/create-config.ts';
import { environment } from '../../base/surroundings.ts';
import { warn, type WarningSink } from '../../base/log.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

/** The options of every command that runs hooks and can record them. */
export interface RecordingOptions {
  readonly record?: string;
  readonly recordPayloads?: true;
}

/** Adds `--record` to a command. */
export const addRecordingOptions = (command: Command): Command =>
  command
    .option('--record <file>', 'write what happens to a file, for hookmachine explain and inspect')
    .option(
      '--record-payloads',
      'also record arguments, prompts, results and what hooks read and wrote, redacted as the settings say',
    );

/** The config options that record a command; none without `--record`. */
export async function recorded(
  cwd: string,
  { record, recordPayloads }: RecordingOptions,
): Promise<Pick<CreateConfigOptions, 'inspect' | 'onWarning'>> {
  if (record === undefined) {
    if (recordPayloads)
      throw new CommandFailure('--record-payloads needs --record FILE: name the file to record to');
    return {};
  }
  const { startRecording } = await import('../../watch/journal/start-recording.ts');
  try {
    const recording = startRecording(record, { cwd, payloads: recordPayloads === true });
    const onWarning: WarningSink = (line, plain) => {
      recording.warned(line, plain);
      warn(undefined, line);
    };
    return { inspect: recording.observe, onWarning };
  } catch (error) {
    if (isHookmachineError(error, 'RECORDING_INVALID'))
      throw new CommandFailure(`--record ${error.message}`, { cause: error });
    if (isHookmachineError(error, 'REDACTION_BROKEN'))
      throw new CommandFailure(`--record-payloads: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The variable with which the gateway has the relays of its agent write to its recording. */
export const recordVariable = 'HOOKMACHINE_RECORD';
/** The variable with which it has them record payloads too. */
export const payloadsVariable = 'HOOKMACHINE_RECORD_PAYLOADS';

/** What `runHooks` needs to record an event; nothing without `--record`. */
export function recordingOf(given: RecordingOptions): {
  readonly recordedBy?: (folder: string) => ReturnType<typeof recorded>;
} {
  const { [recordVariable]: file, [payloadsVariable]: payloads } = environment();
  const record = given.record ?? (file || undefined);
  const options = {
    ...given,
    ...(record !== undefined && { record }),
    ...(given.record === undefined &&
      file &&
      payloads === '1' && { recordPayloads: true as const }),
  };
  return record === undefined && given.recordPayloads !== true
    ? {}
    : { recordedBy: (folder) => recorded(folder, options) };
}
