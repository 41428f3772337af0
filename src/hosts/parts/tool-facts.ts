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

/** A tool's result in canonical form, and the host's own form of it. */
interface Forms {
  /** The host's form of a result, if one of its hooks gave it. */
  readonly theirs: (response: Fields) => { readonly form: unknown } | undefined;
  /** Keeps the host's form of a result. */
  readonly keep: <Response extends Fields>(response: Response, form: unknown) => Response;
}

type Fields = Readonly<Record<string, unknown>>;

/** Keeps a host's form of each result, so that every hook receives exactly the same. */
export function keptForms(): Forms {
  const known = new WeakMap<object, unknown>();
  return {
    theirs: (response) => (known.has(response) ? { form: known.get(response) } : undefined),
    keep(response, form) {
      known.set(response, form);
      return response;
    },
  };
}

/** A result whose text is all that is known of it. */
export const resultOf = (text: string) => ({ llmContent: text, returnDisplay: text });

/** Returns how long our own tool ran, in ms, in the field that hosts of one family use. */
export function durationOf(toolDuration: EventContext['toolDuration']): {
  readonly duration_ms?: number;
} {
  const duration = toolDuration?.();
  return duration === undefined ? {} : { duration_ms: Math.round(duration) };
}
