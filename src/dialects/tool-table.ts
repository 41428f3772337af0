/** Arguments of a tool. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** One of our tools as a host has it. */
export interface HostTool {
  readonly ours: string;
  /** Its name on stdin. */
  readonly name: string;
  /** Other names that matchers may use for it. */
  readonly aliases?: readonly string[];
  /** Those of them that are no name of it on stdin. */
  readonly onlyMatched?: readonly string[];
  /** Our arguments and theirs, where the names differ; of several of ours for one of theirs the first is what theirs becomes. */
  readonly renamed?: readonly (readonly [ours: string, theirs: string])[];
}

type Renamed = NonNullable<HostTool['renamed']>;
const allAs = (ours: readonly string[], theirs: string): Renamed =>
  ours.map((name) => [name, theirs] as const);

/** The arguments of ours that are the path of a file, as a host has them. */
export const filePathAs = (theirs: string): Renamed =>
  allAs(['file_path', 'absolute_path', 'path'], theirs);

/** The same for the path of a folder. */
export const folderPathAs = (theirs: string): Renamed => allAs(['path', 'dir_path'], theirs);

/** The same for the folder that a shell command runs in. */
export const shellFolderAs = (theirs: string): Renamed => allAs(['directory', 'dir_path'], theirs);

/** The names that tools and their arguments have in a host. */
export interface ToolTable<Tool extends HostTool> {
  /** A tool of ours as the host has it. */
  readonly of: (ours: string) => Tool | undefined;
  /** The host's name of a tool of ours; any other keeps its name. */
  readonly toTheirs: (ours: string) => string;
  /** Our name of a tool of the host; any other keeps its name. */
  readonly fromTheirs: (theirs: string) => string;
  /** Our arguments under the host's names. */
  readonly toInput: (ours: string, input: ToolInput) => Record<string, unknown>;
  /** The host's arguments under our names. */
  readonly fromInput: (ours: string, input: ToolInput) => Record<string, unknown>;
}

/** The names that these tools have; a tool that is not among them keeps its names. */
export function toolTable<Tool extends HostTool>(tools: readonly Tool[]): ToolTable<Tool> {
  const byOurs: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.ours, tool]));
  const byTheirs: ReadonlyMap<string, Tool> = new Map(
    tools.flatMap((tool) =>
      [tool.name, ...(tool.aliases ?? [])]
        .filter((name) => tool.onlyMatched?.includes(name) !== true)
        .map((name) => [name, tool] as const),
    ),
  );
  return {
    of: (ours) => byOurs.get(ours),
    toTheirs: (ours) => byOurs.get(ours)?.name ?? ours,
    fromTheirs: (theirs) => byTheirs.get(theirs)?.ours ?? theirs,
    toInput: (ours, input) => {
      const renamed = byOurs.get(ours)?.renamed;
      const named = new Map<string, unknown>();
      for (const [name, value] of Object.entries(input)) {
        const [, theirs = name] = renamed?.find(([own]) => own === name) ?? [];
        // What a tool of ours takes under two names stays there twice.
        named.set(named.has(theirs) ? name : theirs, value);
      }
      return Object.fromEntries(named);
    },
    fromInput: (ours, input) => {
      const renamed = byOurs.get(ours)?.renamed;
      return Object.fromEntries(
        Object.entries(input).map(([name, value]) => {
          const [own = name] = renamed?.find(([, theirs]) => theirs === name) ?? [];
          return [own, value];
        }),
      );
    },
  };
}

/** Whether a regular expression excludes something, so that another name of a tool must not slip through it. */
export const excludesNames = (matcher: string): boolean => /\(\?<?!|\[\^/.test(matcher);
