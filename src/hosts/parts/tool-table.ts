/** The arguments of a tool. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** One of our tools as a host has it. */
export interface HostTool {
  readonly ours: string;
  /** Its name on stdin. */
  readonly name: string;
  /** Other names that matchers may use for it. */
  readonly aliases?: readonly string[];
  /** The aliases that never name it on stdin. */
  readonly onlyMatched?: readonly string[];
  /**
   * Our arguments and theirs, if the names differ. If several of ours match one of theirs, theirs becomes
   * the first.
   */
  readonly renamed?: readonly (readonly [ours: string, theirs: string])[];
  /** Their arguments that the tool cannot run without, each a string. */
  readonly needs?: readonly string[];
}

type Renamed = NonNullable<HostTool['renamed']>;
const allAs = (ours: readonly string[], theirs: string): Renamed =>
  ours.map((name) => [name, theirs] as const);

/** Our arguments that hold a file's path, with a host's name for it. */
export const filePathAs = (theirs: string): Renamed =>
  allAs(['file_path', 'absolute_path', 'path'], theirs);

/** Our arguments that hold a folder's path, with a host's name for it. */
export const folderPathAs = (theirs: string): Renamed => allAs(['path', 'dir_path'], theirs);

/** Our arguments that hold the folder of a shell command, with a host's name for it. */
export const shellFolderAs = (theirs: string): Renamed => allAs(['directory', 'dir_path'], theirs);

/** Maps tools and their arguments between our names and a host's. */
export interface ToolTable {
  /** One of our tools as the host has it. */
  readonly of: (ours: string) => HostTool | undefined;
  /** The host's name for one of our tools; any other keeps its name. */
  readonly toTheirs: (ours: string) => string;
  /** Our name for one of the host's tools; any other keeps its name. */
  readonly fromTheirs: (theirs: string) => string;
  /** Our arguments under the host's names. */
  readonly toInput: (ours: string, input: ToolInput) => Record<string, unknown>;
  /** The host's arguments under our names. */
  readonly fromInput: (ours: string, input: ToolInput) => Record<string, unknown>;
  /** Why a tool cannot run with arguments in the host's form; undefined if it can. */
  readonly inputFault: (ours: string, input: ToolInput) => string | undefined;
}

/** Makes the table for these tools; a tool that is not among them keeps its names. */
export function toolTable(tools: readonly HostTool[]): ToolTable {
  const byOurs: ReadonlyMap<string, HostTool> = new Map(tools.map((tool) => [tool.ours, tool]));
  const byTheirs: ReadonlyMap<string, HostTool> = new Map(
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
        // An argument that our tool accepts under two names keeps both.
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
    inputFault(ours, input) {
      const missing = byOurs.get(ours)?.needs?.find((name) => typeof input[name] !== 'string');
      return missing === undefined
        ? undefined
        : `"${missing}" ${input[missing] === undefined ? 'is missing' : 'is not a string'}`;
    },
  };
}

/** Whether a regular expression excludes something; another name of the same tool must not slip past it. */
export const excludesNames = (matcher: string): boolean => /\(\?<?!|\[\^/.test(matcher);
