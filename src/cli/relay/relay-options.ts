import type { Dialect } from '../../core/dialects/dialect.ts';
import type { RecordingOptions } from '../parts/recording-option.ts';

/** The options of `relay`. */
export interface RelayOptions extends RecordingOptions {
  /** Default: where the host says that its project is. */
  readonly cwd?: string;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
  /** Calls that hooks ask about wait in the database of durable calls, if the host can defer a call. */
  readonly defer?: true;
  /** The socket at which no warm process took the event, so that one is started for the next. */
  readonly warm?: string;
  /** The hooks that the warm process had begun when it was given up; see `markOf`. */
  readonly begun?: readonly string[];
}
