import type { Dialect } from '../../core/dialects/dialect.ts';
import { doTheSame, wishes, wishesIn, type Wish } from './outcome.ts';
import type { Row, Trial } from './run-as.ts';
import { obeyedWays } from './ways.ts';

/** A row, with what its script would have to do for its host to do the same as others. */
export interface ComparedRow extends Row {
  readonly changes: readonly Change[];
}

/** A wish that other hosts fulfil and this one does not. */
export interface Change {
  readonly wish: Wish;
  /** For the script's author; undefined if this host has no way to say it. */
  readonly fix?: string;
}

/** A way to say something that most hosts obey. */
export interface CommonWay {
  readonly wish: Wish;
  readonly words: string;
  /** Those that do not obey it, as `dialect event`. */
  readonly except: readonly string[];
}

/** The outcomes of one script in all dialects. */
export interface Comparison {
  /** Whether all hosts do the same. */
  readonly same: boolean;
  readonly rows: readonly ComparedRow[];
  /** For each wish that not all hosts fulfilled: how to say it so that most of them do. */
  readonly ways: readonly CommonWay[];
}

/** Finds where hosts differ, and how the script can say things so that they do not. */
export function compare(
  found: readonly { readonly dialect: Dialect; readonly row: Row }[],
  trial: Trial,
): Comparison {
  const { event } = trial;
  // A wish that only we obey was wanted too.
  const wanted = new Set(
    found.flatMap(({ row }) => [...wishesIn(row.host, event), ...wishesIn(row.here, event)]),
  );
  const partial = wishes.filter(
    (wish) => wanted.has(wish) && !found.every(({ row }) => wishesIn(row.host, event).has(wish)),
  );
  const [first] = found;
  return {
    same: found.every(({ row }) => doTheSame(row.host, first!.row.host, event)),
    rows: found.map(({ dialect, row }) => ({
      ...row,
      changes: partial
        .filter((wish) => !wishesIn(row.host, event).has(wish))
        .map((wish) => changeFor(wish, dialect, row, trial)),
    })),
    ways: partial.flatMap((wish) => commonWay(wish, found, trial) ?? []),
  };
}

function changeFor(wish: Wish, dialect: Dialect, row: Row, trial: Trial): Change {
  const way = obeyedWays(wish, dialect, row.event, trial)[0];
  return { wish, ...(way && { fix: way.words }) };
}

/** The way to say it that the most hosts obey, if more than half of them do. */
function commonWay(
  wish: Wish,
  found: readonly { readonly dialect: Dialect; readonly row: Row }[],
  trial: Trial,
): CommonWay | undefined {
  const obeyed = found.map(({ dialect, row }) => ({
    place: `${row.dialect} ${row.event}`,
    // Words that contain the event's name would differ between its two names.
    ways: obeyedWays(wish, dialect, row.event, trial).map(({ words }) =>
      words.replaceAll(JSON.stringify(row.event), '"<the event>"'),
    ),
  }));
  const counts = new Map<string, number>();
  for (const { ways } of obeyed)
    for (const words of ways) counts.set(words, (counts.get(words) ?? 0) + 1);
  const [best] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (best === undefined || best[1] <= found.length / 2) return undefined;
  const [words] = best;
  return {
    wish,
    words,
    except: obeyed.filter(({ ways }) => !ways.includes(words)).map(({ place }) => place),
  };
}
