import type { HookSource } from '../../core/protocol/events.ts';
import { keptInProcess } from '../../base/surroundings.ts';
import { reaches } from '../../settings/files/levels.ts';

export type Variables = Readonly<Record<string, string>>;

/** Variables that a hook gives to what runs later in its session. */
export interface GivenVariables {
  /** The source of the hook. */
  readonly source: HookSource;
  /** What they are by now; `known` are those given before. */
  readonly read: (known: Variables) => Variables;
  readonly forget?: () => void;
}

/** The most sessions of one process that are remembered. */
const mostSessions = 1_000;

/** What the hooks of one host give to those that run later. */
export interface SessionVariables {
  /** Keeps variables for the later hooks of a session. */
  readonly keep: (session: string, given: GivenVariables) => void;
  /**
   * What hooks of a session have given so far for the hooks of a source. Later values override earlier ones,
   * and hooks with more authority receive none.
   */
  readonly given: (session: string, hooksOf: HookSource) => Variables;
}

/** Keeps the variables of a host's sessions; those of another host receive none of them. */
export function sessionVariables(): SessionVariables {
  const sessions = keptInProcess(() => new Map<string, GivenVariables[]>());
  return {
    keep(session, given) {
      const known = sessions();
      const [oldest] = known.keys();
      if (!known.has(session) && known.size >= mostSessions && oldest !== undefined) {
        for (const { forget } of known.get(oldest)!) forget?.();
        known.delete(oldest);
      }
      known.set(session, [...(known.get(session) ?? []), given]);
    },
    given: (session, hooksOf) =>
      (sessions().get(session) ?? [])
        .filter(({ source }) => reaches(source, hooksOf))
        .reduce<Variables>((known, { read }) => ({ ...known, ...read(known) }), {}),
  };
}
