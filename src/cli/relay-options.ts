import type { Dialect } from '../dialects/dialect.ts';
import type { RecordingOptions } from './recording-option.ts';

/** What `relay` was asked beside the host and its event. */
export interface RelayOptions extends RecordingOptions {
  /** Default: where the host says that its project is. */
  readonly cwd?: string;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
  /** What hooks ask about waits in the database of durable calls, where the host can put a call off. */
  readonly defer?: true;
}
