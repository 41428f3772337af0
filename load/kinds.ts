import { fileURLToPath } from 'node:url';
import type { CompletedToolCall } from '../src/entries/agent.ts';
import type { Settings } from '../src/index.ts';

type Hooks = NonNullable<Settings['hooks']>;

/** What a call must end with. */
export interface Expected {
  readonly status: CompletedToolCall['outcome']['status'];
  /** What the model reads. */
  readonly content: unknown;
  readonly error?: string;
  /** Why the agent must stop. */
  readonly stop?: string;
}

/** A kind of call: its hooks, and its expected result. */
export interface Kind {
  /** Also the name of its tool. */
  readonly name: string;
  /** How many of a thousand calls are of this kind. */
  readonly share: number;
  readonly hooks?: Hooks;
  /** Whether something is wrong with its hook, which must be reported to the user. */
  readonly isReported?: true;
  /** Its hook starts something that would live for a long time if nobody ended it. */
  readonly lasts?: true;
  /** The model got an argument wrong. */
  readonly isInvalid?: true;
  readonly expected: (number: number) => Expected;
}

/** The text that the call's tool is asked to return. */
export const textOf = (number: number): string => `text of ${number}`;

/** What a tool that ran returns. */
export const said = (number: number, text: string): string => `${number} did: ${text}`;

const done = (number: number, text = textOf(number)): Expected => ({
  status: 'done',
  content: said(number, text),
});

const refused = (number: number): Expected => ({
  status: 'blocked',
  content: `no to ${number}`,
  error: 'blocked_by_hook',
});

/** A script by its path. */
const script = (name: string, ...args: readonly string[]): string =>
  [`'${fileURLToPath(new URL(`hooks/${name}.sh`, import.meta.url))}'`, ...args].join(' ');

/**
 * A text that uses only the shell's builtins, which reads the call's number and text without another process.
 */
const text = (command: string): string =>
  `IFS= read -r -d '' in; n=\${in#*'"number":'}; n=\${n%%[!0-9]*}; t=\${in#*'"text":"'}; t=\${t%%'"'*}; ${command}`;

/** A line of well-known commands that prints something with the call's number in it. */
const line = (before: string, after: string, to = ''): string =>
  `printf '${before}'${to}; grep -o 'text of [0-9]*' | tr -dc 0-9${to}; printf '${after}'${to}`;

const allow = `echo '{"decision":"allow"}'`;
const deny = `printf '{"decision":"deny","reason":"no to %s"}' "$n"`;
const denyInLine = line('{"decision":"deny","reason":"no to ', '"}');
const rewrite = (words: string): string =>
  text(`printf '{"hookSpecificOutput":{"tool_input":{"text":"%s"}}}' "${words}"`);
const context = (word: string): string =>
  `printf '{"hookSpecificOutput":{"additionalContext":"%s of %s"}}' ${word} "$n"`;

/** Whether this command does nothing before it has read its input. */
const readsFirst = (command: string): boolean => /^(?:'|IFS= read)/.test(command);

/** Hooks of one event around the tool of one kind. */
function hooked(
  name: string,
  commands: readonly string[],
  {
    event = 'BeforeTool',
    sequential = false,
    ...more
  }: {
    event?: 'BeforeTool' | 'AfterTool';
    sequential?: boolean;
    timeout?: number;
    onFailure?: 'allow' | 'block';
  } = {},
): Pick<Kind, 'name' | 'hooks'> {
  const hooks = commands.map((command) => ({
    type: 'command' as const,
    name,
    command,
    ...(readsFirst(command) && { prestart: true }),
    ...more,
  }));
  return { name, hooks: { [event]: [{ matcher: `^${name}$`, sequential, hooks }] } };
}

const words = ['first', 'second', 'third', 'fourth'];

/** The mixture: nine out of ten calls start no process. */
export const kinds: readonly Kind[] = [
  { name: 'no-hook', share: 760, expected: done },
  {
    name: 'tool-throws',
    share: 50,
    expected: (number) => ({ status: 'done', content: `${number} broke`, error: 'RangeError' }),
  },
  {
    name: 'no-such-tool',
    share: 40,
    expected: () => ({
      status: 'done',
      content: 'There is no tool "no-such-tool".',
      error: 'tool_not_found',
    }),
  },
  {
    name: 'wrong-arguments',
    share: 50,
    isInvalid: true,
    expected: () => ({
      status: 'done',
      content:
        'Invalid arguments for wrong-arguments: text: Invalid input: expected string, received number',
      error: 'invalid_tool_params',
    }),
  },
  { ...hooked('allow', [allow]), share: 20, expected: done },
  {
    ...hooked('rewrite', [rewrite('other text of $n')]),
    share: 12,
    expected: (number) => done(number, `other text of ${number}`),
  },
  {
    ...hooked('deny-by-exit-code', [`${line('no to ', '', ' >&2')}; exit 2`]),
    share: 12,
    expected: refused,
  },
  { ...hooked('deny-by-json', [script('deny')]), share: 12, expected: refused },
  {
    ...hooked('context', [text(context('word'))], { event: 'AfterTool' }),
    share: 10,
    expected: (number) => ({
      status: 'done',
      content: `${said(number, textOf(number))}\n\nword of ${number}`,
    }),
  },
  { ...hooked('crash', [text('kill -KILL $$')]), share: 6, isReported: true, expected: done },
  {
    ...hooked('crash-that-blocks', ['exit 1'], { onFailure: 'block' }),
    share: 4,
    isReported: true,
    expected: () => ({
      status: 'blocked',
      content: 'Blocked because the hook "crash-that-blocks" failed: Hook exited with code 1',
      error: 'blocked_by_hook',
    }),
  },
  {
    ...hooked('chain-of-three', [script('rewrite', 'a'), rewrite('$t b'), script('rewrite', 'c')], {
      sequential: true,
    }),
    share: 5,
    expected: (number) => done(number, `${textOf(number)} a b c`),
  },
  {
    // The one that denies ends either last or first.
    ...hooked('four-at-once', [
      allow,
      text(`[ $((n % 2)) = 0 ] && sleep 0.05; ${deny}`),
      text(allow),
      'head -c 0',
    ]),
    share: 4,
    expected: refused,
  },
  {
    // The order is that of the settings, whatever the order of ending.
    ...hooked(
      'four-contexts',
      words.map((word, index) => text(`sleep 0.0${4 - index}; ${context(word)}`)),
      { event: 'AfterTool' },
    ),
    share: 4,
    expected: (number) => ({
      status: 'done',
      content: [
        `${said(number, textOf(number))}\n`,
        ...words.map((word) => `${word} of ${number}`),
      ].join('\n'),
    }),
  },
  {
    ...hooked('much-output', [
      `${line('{"decision":"deny","reason":"no to ', '","more":"')}; head -c 1000000 /dev/zero | tr '\\0' x; printf '"}'`,
    ]),
    share: 3,
    expected: refused,
  },
  {
    ...hooked('leaves-a-child', [script('leave-a-child')]),
    share: 3,
    isReported: true,
    lasts: true,
    expected: refused,
  },
  { ...hooked('slow', [`sleep 0.1; ${denyInLine}`]), share: 3, expected: refused },
  {
    ...hooked('late', ['sleep 100'], { timeout: 200 }),
    share: 2,
    isReported: true,
    lasts: true,
    expected: done,
  },
];

/** Ends its batch: after a stop, nothing more of a batch is begun. */
export const stop: Kind = {
  ...hooked('stop', [text(`printf '{"continue":false,"stopReason":"enough at %s"}' "$n"`)]),
  share: 0,
  expected: (number) => ({
    status: 'stopped',
    content: `enough at ${number}`,
    error: 'stopped_by_hook',
    stop: `enough at ${number}`,
  }),
};

/** Runs beside a batch until it is cancelled. */
export const endless: Kind = {
  ...hooked('endless', ['sleep 100 | cat']),
  share: 0,
  expected: () => ({
    status: 'cancelled',
    content: 'The tool call was cancelled: no longer wanted',
    error: 'cancelled',
  }),
};
