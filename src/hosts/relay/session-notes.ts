import { trustFile } from '../../settings/files/levels.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import type { SettingsNote } from '../../core/definitions/settings.ts';
import { isFault, readTrustFile } from '../../settings/trust/read-trust.ts';
import { reportedInSession } from '../../settings/files/reported-in-session.ts';

/**
 * Prints each note once in this process and, with a session id, once in the whole session, which is
 * remembered in the user's state folder. If nothing can be remembered, it is printed again.
 */
export function sessionNotes(
  tell: (line: string) => void,
  sessionId?: string,
): (note: SettingsNote) => void {
  const reported = new Set<string>();
  return ({ kind, problem }) => {
    const line = formatProblem(problem);
    if (reported.has(line)) return;
    reported.add(line);
    if (sessionId !== undefined && reportedInSession(sessionId, line)) return;
    if (kind === 'untrusted') tellWhyNothingIsTrusted(tell);
    tell(line);
  };
}

/**
 * Whether a problem of the settings was already reported in the session, if its id is known. Asking
 * records it as reported.
 */
export const reportedBefore =
  (sessionId: string | undefined): ((problem: string) => boolean) =>
  (problem) =>
    sessionId !== undefined && reportedInSession(sessionId, problem);

/** A fault in the trust file explains why a project that the user did trust is not trusted now. */
function tellWhyNothingIsTrusted(tell: (line: string) => void): void {
  const file = trustFile();
  if (file === undefined)
    return tell(
      'without a home folder no project can be trusted; set HOME, or pass --trust for one run',
    );
  const read = readTrustFile(file);
  if (isFault(read))
    tell(`nothing is trusted: the trust file ${file} ${read.message}; ${read.fix}`);
}
