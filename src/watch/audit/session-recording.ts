import type { AuditSettings } from '../../core/definitions/settings.ts';
import { messageOf } from '../../base/message-of.ts';
import type { RecordingHeader } from '../journal/entry.ts';
import { formatVersion } from '../journal/header.ts';
import { journalTo } from '../journal/journal.ts';
import type { DatedEvent } from './late-events.ts';
import { LogFile } from './log-file.ts';

/** The longest texts of a header, in characters: a line that begins a recording is short. */
const longest = { session: 200, user: 100, project: 400 };

/** A session that is being recorded for an administrator. */
export interface SessionRecording {
  /** Takes what a machine did. */
  readonly take: (dated: DatedEvent) => void;
  /** Writes what was taken. */
  readonly write: () => void;
  close(): void;
}

/**
 * Records a session in a file that the sessions of all processes of a user share. What cannot be written is lost;
 * that affects no decision.
 */
export function recordSession(
  file: string,
  { maxBytes, keep, payloads = false }: AuditSettings,
  about: { readonly session: string; readonly user: string; readonly project: string },
  redact: readonly string[],
  failed: (why: string) => void,
): SessionRecording {
  const log = new LogFile(file, {
    ...(maxBytes && { maxBytes }),
    ...(keep !== undefined && { keep }),
  });
  let time = 0;
  let lines: string[] = [];
  let header: string | undefined;
  const journal = journalTo(
    (entry) => {
      if (header === undefined && entry.kind !== 'warned')
        lines.push((header = headerOf(entry.id, about, time, payloads)));
      lines.push(JSON.stringify(entry));
    },
    { payloads, redact, now: () => time },
  );
  return {
    take({ event, at }) {
      time = at;
      journal.observe(event);
    },
    write() {
      if (lines.length === 0) return;
      const text = lines.join('\n');
      const first = text.startsWith(header!) ? undefined : header;
      lines = [];
      try {
        log.append(text, first);
      } catch (error) {
        failed(messageOf(error));
      }
    },
    close: () => log.close(),
  };
}

function headerOf(
  run: string,
  { session, user, project }: Parameters<typeof recordSession>[2],
  at: number,
  payloads: boolean,
): string {
  const header: RecordingHeader = {
    kind: 'recording',
    format: 'hookmachine',
    version: formatVersion,
    at,
    payloads,
    journal: run.slice(0, run.lastIndexOf('-')),
    session: session.slice(0, longest.session),
    user: user.slice(0, longest.user),
    project: project.slice(0, longest.project),
  };
  return JSON.stringify(header);
}
