import type { Dialect } from '../../core/dialects/dialect.ts';
import type { RecordingOptions } from '../parts/recording-option.ts';

/** The options of `fire`. */
export interface FireOptions extends RecordingOptions {
  readonly cwd: string;
  readonly dialect: Dialect;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly sessionId?: string;
  readonly trust?: true;
  /** Print fields that fit the event; nothing is run. */
  readonly sample?: true;
  /** The one hook that runs, by name or command. */
  readonly hook?: string;
  /** Say why each hook ran or did not. */
  readonly why?: true;
}
