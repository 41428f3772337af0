import type { EventContext } from '../../core/answers/event-context.ts';

/** Splits the text that our shell tool gives the model into streams; any other text is all stdout. */
export function shellStreams(text: string, command: string): { stdout: string; stderr: string } {
  const start = text.indexOf('\nStdout: ', text.indexOf(`Command: ${command}\n`) + command.length);
  const end = text.lastIndexOf('\nExit Code: ');
  const between = text.lastIndexOf('\nStderr: ', end);
  if (start === -1 || between < start || end === -1) return { stdout: text, stderr: '' };
  const part = (from: number, to: number): string =>
    text.slice(from, to).replace(/^\(empty\)$/, '');
  return {
    stdout: part(start + '\nStdout: '.length, between),
    stderr: part(between + '\nStderr: '.length, end),
  };
}

/** Returns how long our own tool ran, in ms, in the field that hosts of one family use. */
export function durationOf(toolDuration: EventContext['toolDuration']): {
  readonly duration_ms?: number;
} {
  const duration = toolDuration?.();
  return duration === undefined ? {} : { duration_ms: Math.round(duration) };
}
