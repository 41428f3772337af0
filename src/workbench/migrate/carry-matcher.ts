import { RegexBudget } from '../../base/bounded-regex.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { Writer } from '../../core/dialects/writer.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';

/** A matcher in the target's terms, and how it differs from the source's. */
export interface CarriedMatcher {
  /** Undefined for one that matches everything. */
  readonly matcher: string | undefined;
  readonly lost: readonly string[];
  /** The source's matcher matches nothing at all. */
  readonly fitsNothing?: true;
}

/** The dialect and the event that a hook is written for. */
export interface Target {
  readonly dialect: Pick<Dialect, 'compileMatcher'>;
  readonly writer: Writer;
  readonly nativeEvent: string;
}

/** Our names of all tools for which a dialect may have a name of its own. */
const tools = [
  'run_shell_command',
  'write_file',
  'replace',
  'read_file',
  'read_many_files',
  'glob',
  'search_file_content',
  'list_directory',
  'web_fetch',
  'google_web_search',
  'todo_write',
  'task',
];

const toolEvents: ReadonlySet<HookEventName> = new Set<HookEventName>([
  'BeforeTool',
  'AfterTool',
  'ToolFailed',
  'ToolPermission',
]);

/** The words that matchers of other events are compared with. */
const wordsOf: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  SessionStart: ['startup', 'resume', 'clear', 'compress'],
  SessionEnd: ['exit', 'clear', 'logout', 'prompt_input_exit', 'other'],
  PreCompress: ['manual', 'auto'],
  PostCompress: ['manual', 'auto'],
  Notification: ['ToolPermission'],
};

/** Names that are in no list. */
const strangers = ['mcp__some_server__some_tool', 'some_other_tool', 'SomeOther'];

/** In ms; generous, since no tool waits here, so that even a busy machine decides every ordinary matcher. */
const time = { all: 10_000, each: 5_000 };

const isAll = (matcher: string): boolean => ['', '*', '.*'].includes(matcher.trim());

/**
 * Writes a hook's matcher in the target's terms. Both matchers are tried on all known names, on those in the
 * source's own, and on some that only look like them. Of the ways to write it, the first that matches the
 * same names is used, or else one that matches more, so that no guard is lost.
 */
export function carryMatcher(
  source: Pick<Dialect, 'compileMatcher'>,
  hook: HookDefinition,
  { dialect, writer, nativeEvent }: Target,
): CarriedMatcher {
  const budget = new RegexBudget(time.all, time.each);
  let isUndecided = false;
  const matcherOf = (
    of: Pick<Dialect, 'compileMatcher'>,
    one: HookDefinition,
  ): ((subject: string) => boolean) => {
    const fits = of.compileMatcher(one, () => (isUndecided = true));
    return (subject) => fits(subject, budget);
  };
  const fitsSource = matcherOf(source, hook);
  const isTool = toolEvents.has(hook.event);
  const { names, subjects } = subjectsFor(hook, (matcher) =>
    matcherOf(source, { ...hook, matcher }),
  );
  const { matcher: raw } = hook;
  const plain = raw === undefined || isAll(raw) ? undefined : raw;
  const { matcher: _, ...anywhere } = hook;
  const fitsAnyway = matcherOf(source, anywhere);
  const lost =
    plain !== undefined && subjects.every((subject) => fitsSource(subject) === fitsAnyway(subject))
      ? [`its matcher ${JSON.stringify(plain)} has no equivalent, so it runs for everything`]
      : [];
  const wanted = subjects.filter((subject) => fitsSource(subject));
  if (wanted.length === 0) return { matcher: undefined, lost: [], fitsNothing: true };

  const fitting = (matcher: string | undefined): readonly string[] => {
    const { matcher: __, ...rest } = hook;
    const there = { ...rest, nativeEvent, ...(matcher !== undefined && { matcher }) };
    const fits = matcherOf(dialect, there);
    return subjects.filter((subject) => fits(subject));
  };
  const own = names.filter((name) => wanted.includes(name));
  const ways = waysToWrite(own, plain, { writer, nativeEvent, isTool }).map((matcher) => ({
    matcher,
    fitted: fitting(matcher),
  }));
  const best = bestOf(ways, wanted, subjects.length);
  return {
    matcher: best.matcher,
    lost: [
      ...lost,
      ...differences(best, { wanted, names, plain }),
      ...(isUndecided
        ? [`its matcher ${JSON.stringify(raw)} takes too long to try, so it may match more there`]
        : []),
    ],
  };
}

/** Returns the ways to write a matcher for these names, which is a pattern in the source. */
function waysToWrite(
  names: readonly string[],
  pattern: string | undefined,
  of: { readonly writer: Writer; readonly nativeEvent: string; readonly isTool: boolean },
): (string | undefined)[] {
  const { writer, nativeEvent, isTool } = of;
  const theirs = [
    ...new Set(
      names.map((name) => (isTool ? writer.toolName(name) : word(writer, nativeEvent, name))),
    ),
  ];
  // If the tools have other names, the same pattern would match other tools.
  const isSame = names.every((name) => !isTool || writer.toolName(name) === name);
  return [
    undefined,
    ...(theirs.length > 0 && !isTool ? [theirs.join('|')] : []),
    ...(theirs.length > 0 ? [writer.list(theirs)] : []),
    ...(pattern !== undefined && isSame ? [pattern] : []),
    ...(pattern !== undefined && theirs.length > 0 ? [writer.either(theirs, pattern)] : []),
  ];
}

/** Says what a hook's matcher matches more or less there. */
function differences(
  { matcher, fitted }: Way,
  of: {
    readonly wanted: readonly string[];
    readonly names: readonly string[];
    readonly plain: string | undefined;
  },
): string[] {
  const { wanted, names, plain } = of;
  const more = fitted.filter((subject) => !wanted.includes(subject));
  const less = wanted.filter((subject) => !fitted.includes(subject));
  return [
    ...(more.length > 0
      ? [
          `its matcher ${plain === undefined ? '' : `${JSON.stringify(plain)} `}matches more there: ${shown(matcher, more, names)}`,
        ]
      : []),
    ...(less.length > 0 ? [`it never runs there for ${less.join(', ')}`] : []),
  ];
}

/** Returns the known names, with those in the hook's matcher, and all subjects that matchers are tried on. */
function subjectsFor(
  { event, matcher }: HookDefinition,
  matcherOf: (matcher: string) => (subject: string) => boolean,
): { readonly names: readonly string[]; readonly subjects: readonly string[] } {
  const known = toolEvents.has(event) ? tools : (wordsOf[event] ?? []);
  const named = namedIn(matcher);
  // The source's own name for a known tool is not another tool.
  const others = named.filter((name) => {
    if (known.includes(name)) return false;
    const alone = matcherOf(name);
    return !known.some((one) => alone(one));
  });
  const looks = named.flatMap((name) => [
    `mcp__some_server__${name}`,
    `${name}some_tool`,
    `some_${name}`,
  ]);
  const names = [...known, ...others];
  return { names, subjects: [...new Set([...names, ...looks, ...strangers])] };
}

/** A way to write a matcher, with the subjects that it matches. */
interface Way {
  readonly matcher: string | undefined;
  readonly fitted: readonly string[];
}

/** Returns the way that matches the wanted subjects and the fewest others; the first matches everything. */
function bestOf(ways: readonly Way[], wanted: readonly string[], all: number): Way {
  const covering = ways.filter(({ fitted }) => wanted.every((subject) => fitted.includes(subject)));
  return (
    covering.find(({ fitted }) => fitted.length === wanted.length) ??
    covering.find(({ fitted }) => fitted.length < all) ??
    ways[0]!
  );
}

const word = (writer: Writer, nativeEvent: string, ours: string): string =>
  writer.word?.(nativeEvent, ours) ?? ours;

/** The words in a matcher that look like names. */
const namedIn = (matcher: string | undefined): string[] => [
  ...new Set(matcher?.match(/[A-Za-z_][\w-]*/g)),
];

function shown(
  matcher: string | undefined,
  more: readonly string[],
  names: readonly string[],
): string {
  if (matcher === undefined) return 'everything';
  const known = more.filter((subject) => names.includes(subject));
  return (known.length > 0 ? known : more).join(', ');
}
