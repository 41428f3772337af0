/** `hookmachine/inspector`: the live page, the journal that it shows, and recordings of the journal. */

export {
  startInspector,
  type Inspectable,
  type InspectorOptions,
  type LiveInspector,
} from '../watch/inspector/start-inspector.ts';
export type {
  ApprovalsSource,
  AskedApproval,
  CallTrail,
  PageAnswer,
  PageAnswerOutcome,
  RecordedAnswer,
  TrailedEffect,
} from '../watch/inspector/approvals-source.ts';
export type { JournalEntry, RecordingHeader } from '../watch/journal/entry.ts';
export { journalTo, type Journal, type JournalOptions } from '../watch/journal/journal.ts';
export { observeAll } from '../watch/journal/observe-all.ts';
export { readRecording, type ReadRecordingOptions } from '../watch/journal/read-recording.ts';
export { RecordingError } from '../watch/journal/recording-error.ts';
export { redactSettings } from '../settings/redaction/redact-settings.ts';
export { RedactionError } from '../settings/redaction/redact-settings.ts';
export {
  startRecording,
  type Recording,
  type RecordingOptions,
} from '../watch/journal/start-recording.ts';
