/** The words of a measurement; plain data, for it goes to other processes. */
import type { Target } from './results.ts';

/** Who takes part, each in a process of its own. */
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

/** What came of an event, as every contestant can tell it. */
export interface EventAnswer {
  readonly blocked: boolean;
  /** The reasons that hooks gave, in the order of the settings. */
  readonly reasons: readonly string[];
}

/** One way to fire BeforeTool, and what must come of it. */
export interface EventScenario {
  readonly id: string;
  readonly title: string;
  readonly enabled: boolean;
  readonly event: 'BeforeTool' | 'AfterTool';
  /** The groups under BeforeTool. */
  readonly groups: readonly HookGroup[];
  readonly expected: EventAnswer;
  readonly contestants: readonly ContestantName[];
  /** What ours runs in the place of the commands, which the others start. */
  readonly handler?: 'module' | 'live' | 'function';
  /** Between two events. */
  readonly gapMs: number;
  /** MB of Buffers that the host holds. */
  readonly ballastMB: number;
  /** How long a sample lasts at least; where one event is too short for the clock, many are timed together. */
  readonly sampleMs: number;
  /** Whom ours is compared with, beside the peer. */
  readonly against?: ContestantName;
  readonly targets: readonly Target[];
}

/** A pause, in ms, in which the others have their turns. */
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

/** Tools that take turns; no matcher of the scenarios without a match fits one. */
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
