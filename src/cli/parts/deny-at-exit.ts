import { messageOf } from '../../base/message-of.ts';

/**
 * Calls `deny` if this process ends in any way that can be seen before the returned function was called:
 * something threw where nobody waits for it, a library ended the process, or nothing is left that could go
 * on. The exit status is `deny`'s to set, and it must not wait for anything.
 */
export function denyAtExit(deny: (reason: Error) => void): () => void {
  let thrown: unknown;
  const note = (error: unknown): void => {
    thrown ??= error;
  };
  const atExit = (): void =>
    deny(
      new Error(
        thrown === undefined ? 'hookmachine ended before it had judged it' : messageOf(thrown),
        { cause: thrown },
      ),
    );
  process.on('uncaughtExceptionMonitor', note).once('exit', atExit);
  return () => void process.off('uncaughtExceptionMonitor', note).off('exit', atExit);
}
