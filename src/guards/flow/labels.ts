import { createHash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { type GrownLines, grownLines } from '../../base/grown-lines.ts';
import { keptInProcess } from '../../base/surroundings.ts';
import { forgetOld } from '../../settings/files/forget-old.ts';
import { stateFolder } from '../../settings/files/levels.ts';

/** What a session may have come to hold: secrets, text that outsiders wrote, data about people. */
const labels = ['secret', 'untrusted', 'personal'] as const;

export type Label = (typeof labels)[number];

export const isLabel = (value: unknown): value is Label => labels.includes(value as Label);

/** What begins the source of a text that tells agents what to do. */
export const planted = 'instructions in ';

/** Where a session got a label from. */
export interface LabelOrigin {
  readonly label: Label;
  /** What was read: a path, an address, a server's tool. */
  readonly from: string;
  /** The tool that read it. */
  readonly tool: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What is known of a session: its labels, and names of places and people as they came up. */
export interface SessionFlow {
  readonly origins: readonly LabelOrigin[];
  /** Hosts, e-mail addresses and URLs in results of tools. */
  readonly read: ReadonlySet<string>;
  /** The same in the user's prompts. */
  readonly asked: ReadonlySet<string>;
}

/** One line of a session's file. */
type Line =
  | LabelOrigin
  | { readonly read: readonly string[] }
  | { readonly asked: readonly string[] };

const known = keptInProcess(() => new Map<string, GrownLines<Line>>());

/** How many sessions are kept in memory. */
const mostSessions = 20;

/** How many names of each kind are remembered of a session. */
const mostNames = 5_000;

/** One file a session, so that labels outlive compaction, restarts and the processes of a relay. */
function fileOf(session: string): string | undefined {
  const folder = stateFolder('labels');
  const name = createHash('sha256').update(session).digest('hex').slice(0, 32);
  return folder && join(folder, `${name}.jsonl`);
}

/** Returns what a session has read so far. */
export function flowOf(session: string): SessionFlow {
  const file = fileOf(session);
  const all = known();
  const before = all.get(session) ?? { size: 0, lines: [] };
  const now = file === undefined ? before : grownLines(file, before);
  all.delete(session);
  all.set(session, now);
  for (const oldest of all.keys()) if (all.size > mostSessions) all.delete(oldest);
  const { lines } = now;
  return {
    origins: lines.filter((line): line is LabelOrigin => 'label' in line && isLabel(line.label)),
    read: new Set(lines.flatMap((line) => ('read' in line ? line.read : []))),
    asked: new Set(lines.flatMap((line) => ('asked' in line ? line.asked : []))),
  };
}

/** Returns the labels of a session. */
export const labelsOf = (session: string): ReadonlySet<Label> =>
  new Set(flowOf(session).origins.map(({ label }) => label));

/** What a session has learned. */
export interface Learned {
  readonly origins?: readonly LabelOrigin[];
  readonly read?: readonly string[];
  readonly asked?: readonly string[];
}

const fresh = (names: readonly string[], old: ReadonlySet<string>): string[] =>
  old.size > mostNames ? [] : names.filter((name) => !old.has(name));

/** Adds to what is known of a session. A source is noted once for each label. */
export function note(session: string, { origins = [], read = [], asked = [] }: Learned): void {
  const before = flowOf(session);
  const [newRead, newAsked] = [fresh(read, before.read), fresh(asked, before.asked)];
  const lines: Line[] = [
    ...origins.filter(
      ({ label, from }) => !before.origins.some((one) => one.label === label && one.from === from),
    ),
    ...(newRead.length > 0 ? [{ read: newRead }] : []),
    ...(newAsked.length > 0 ? [{ asked: newAsked }] : []),
  ];
  if (lines.length === 0) return;
  const file = fileOf(session);
  if (file === undefined) {
    // A user without a home: it is known to this process alone.
    const { size, lines: old } = known().get(session)!;
    known().set(session, { size, lines: [...old, ...lines] });
    return;
  }
  if (!existsSync(file)) {
    makeFolder(join(file, '..'), 0o700);
    forgetOld(join(file, '..'));
  }
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
}
