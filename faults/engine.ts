import type { Fault } from './fault.ts';

/** What the settings say that a failure means. */
export const policies = ['allow', 'block'] as const;
export type Policy = (typeof policies)[number];

/** What the settings say of processes that a hook leaves; the first is the default. */
export const fates = ['end-group', 'end', 'leave'] as const;
export type Fate = (typeof fates)[number];

/** What an engine made of a call. */
export interface Decided {
  readonly isDenied: boolean;
  /** What the model and the user read of a denial. */
  readonly reason?: string;
}

/** A hook engine with one guard around one tool. */
export interface OpenedEngine {
  /** A call of the tool, with its hooks. */
  call(): Promise<Decided>;
}

/** What an engine is opened for. */
export interface Site {
  readonly fault: Fault;
  readonly policy: Policy;
  readonly fate: Fate;
  /** The guard's command, as the settings have it. */
  readonly command: string;
  readonly timeout: number;
  readonly folder: string;
  /** Called with what is reported to the user. */
  readonly tell: (line: string) => void;
}

/** Opens an engine, ready for its first call. */
export type OpenEngine = (site: Site) => Promise<OpenedEngine>;
