/** What a field of the settings must be. */
export interface Field {
  readonly fits: (value: unknown) => boolean;
  /** What its user can do where it is not. */
  readonly fix: string;
  /** What becomes of one that does not fit and is not needed; default: it was ignored. */
  readonly fate?: string;
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** The fields of a hook (seed 000 §6.2, HOOK-083, C-02, C-03). */
export const hookFields = {
  type: {
    fits: (type) => type === 'command' || type === 'plugin',
    fix: 'write "type": "command"',
  },
  command: {
    fits: (command) => typeof command === 'string' && /\S/.test(command),
    fix: 'write the shell command to run: "command": "…"',
  },
  timeout: {
    fits: (timeout) => Number.isFinite(timeout) && (timeout as number) > 0,
    fix: 'make it a positive number of milliseconds',
  },
  name: { fits: isText, fix: 'make it a string' },
  description: { fits: isText, fix: 'make it a string' },
  onFailure: {
    fits: (onFailure) => ['allow', 'block', 'continue'].includes(onFailure as string),
    fix: 'write "allow" or "block"',
    fate: 'it counts as "block"',
  },
  leftBehind: {
    fits: (leftBehind) => ['end-group', 'end', 'leave'].includes(leftBehind as string),
    fix: 'write "end-group", "end" or "leave"',
    fate: 'it counts as "end-group"',
  },
  prestart: {
    fits: (prestart) => typeof prestart === 'boolean',
    fix: 'make it true or false',
  },
} as const satisfies Record<string, Field>;

/** The fields of a hook group (HOOK-082). */
export const groupFields = {
  matcher: { fits: isText, fix: 'make it a string: a regular expression for tool names' },
  sequential: {
    fits: (sequential) => typeof sequential === 'boolean',
    fix: 'make it true or false',
  },
  hooks: {
    fits: Array.isArray,
    fix: 'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
  },
} as const satisfies Record<string, Field>;

/** A shorter deadline in ms than any hook that starts a process can meet: whoever writes it means seconds. */
export const shortestTimeout = 100;
