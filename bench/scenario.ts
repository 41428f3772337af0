/** The vocabulary of a measurement; plain data, because it is sent to other processes. */
import type { Target } from './results.ts';

/** The contestants, each in its own process. */
export const contestants = [
  'hookmachine',
  'gemini-cli-core',
  'spawn',
  'execa',
  'hookmachine-prestart',
  'spawn-ahead',
] as const;
export type ContestantName = (typeof contestants)[number];

/** One group of a settings file's hooks. */
export interface HookGroup {
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    readonly prestart?: true;
  }[];
}

/** The result of an event, as every contestant can report it. */
export interface EventAnswer {
  readonly blocked: boolean;
  /** The reasons that hooks gave, in the order of the settings. */
  readonly reasons: readonly string[];
}

/** One way to fire BeforeTool, and the result that it must have. */
export interface EventScenario {
  readonly id: string;
  readonly title: string;
  readonly enabled: boolean;
  readonly event: 'BeforeTool' | 'AfterTool';
  /** The groups under BeforeTool. */
  readonly groups: readonly HookGroup[];
  readonly expected: EventAnswer;
  readonly contestants: readonly ContestantName[];
  /** What ours runs instead of the commands that the others start. */
  readonly handler?: 'module' | 'live' | 'function';
  /** The pause between two events, in ms. */
  readonly gapMs: number;
  /** MB of Buffers that the host holds. */
  readonly ballastMB: number;
  /**
   * The minimum duration of a sample, in ms; if one event is too short for the clock, many are timed
   * together.
   */
  readonly sampleMs: number;
  /** Which contestant ours is compared with, besides the peer. */
  readonly against?: ContestantName;
  readonly targets: readonly Target[];
}

/** A pause, in ms, that is long enough for the others to take their turns. */
export const longPause = 500;

/** How long to measure. */
export interface Effort {
  readonly rounds: number;
  /** Samples of each contestant in a round. */
  readonly samples: number;
}

/** The same 1 KB of arguments for all. */
export const toolInput: Readonly<Record<string, unknown>> = {
  file_path: 'src/index.ts',
  content: 'export const answer = 42;\n'.repeat(38),
};

/** Tools that take turns; in the scenarios without a match, no matcher matches any of them. */
export const toolNames: readonly string[] = [
  'write_file',
  'read_file',
  'replace',
  'glob',
  'run_shell_command',
  'list_directory',
  'web_fetch',
  'save_memory',
];
