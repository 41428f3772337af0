import type { Fault } from './fault.ts';

/** What a failure means, according to the settings. */
export const policies = ['allow', 'block'] as const;
export type Policy = (typeof policies)[number];

/**
 * What happens to processes that a hook leaves behind, according to the settings; the first is the default.
 */
export const fates = ['end-group', 'end', 'leave'] as const;
export type Fate = (typeof fates)[number];

/** What an engine decided about a call. */
export interface Decided {
  readonly isDenied: boolean;
  /** The reason of a denial, as the model and the user read it. */
  readonly reason?: string;
}

/** A hook engine with one guard around one tool. */
export interface OpenedEngine {
  /** Calls the tool, with its hooks. */
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
