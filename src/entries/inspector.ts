/** `hookmachine/inspector`: the live page, the journal that it shows, and recordings of the journal. */

export {
  startInspector,
  type Inspectable,
  type InspectorOptions,
  type LiveInspector,
} from '../inspector/start-inspector.ts';
export type {
  ApprovalsSource,
  AskedApproval,
  CallTrail,
  PageAnswer,
  PageAnswerOutcome,
  RecordedAnswer,
  TrailedEffect,
} from '../inspector/approvals-source.ts';
export type { JournalEntry, RecordingHeader } from '../journal/entry.ts';
export { journalTo, type Journal, type JournalOptions } from '../journal/journal.ts';
export { observeAll } from '../journal/observe-all.ts';
export { readRecording, type ReadRecordingOptions } from '../journal/read-recording.ts';
export { RecordingError } from '../journal/recording-error.ts';
export { redactSettings } from '../redaction/redact-settings.ts';
export { RedactionError } from '../redaction/redact-settings.ts';
export {
  startRecording,
  type Recording,
  type RecordingOptions,
} from '../journal/start-recording.ts';
