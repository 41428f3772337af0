import type { DialectOutline } from '../dialects/dialect.ts';
import type { RecordingOptions } from './recording-option.ts';

/** What `fire` was asked beside the event. */
export interface FireOptions extends RecordingOptions {
  readonly cwd: string;
  readonly dialect: DialectOutline;
  readonly dialects?: readonly DialectOutline[];
  readonly hooks: boolean;
  readonly sessionId?: string;
  readonly trust?: true;
}
