/** `hookmachine/durable`: tool calls that survive their hosts, and approvals that wait in a database. */

export { connectDurable, type Durable } from '../durable/connect.ts';
export type { DurableOptions, DurableRequest } from '../durable/options.ts';
export type { DurableOutcome, SuspendedCall, WaitOptions } from '../durable/outcome.ts';
export type { EndedCall } from '../durable/calls.ts';
export { checkDatabase, migrateDatabase, openRecords } from '../durable/records.ts';
export type {
  DurableHost,
  DurableRecords,
  Migration,
  SubmittedRequest,
} from '../durable/records.ts';
export type { AnswerOptions, AnswerOutcome, Approvals } from '../durable/approvals.ts';
export type { ApprovalFilter, ListOptions } from '../durable/approvals.ts';
export type { Approval, GivenAnswer } from '../durable/approvals.ts';
export { durableSettings } from '../durable/settings.ts';
export type { DurableSettings, ReadDurableSettings } from '../durable/settings.ts';
export type { Hold, HoldOptions, PruneOptions, Retention } from '../durable/retention.ts';
export type { Metric } from '../durable/metrics.ts';
export type { Policies, PolicyUse, PushedPolicy } from '../durable/policies.ts';
export type { HookSaid } from '../durable/judged.ts';
export type { Audit, AuditedEffect } from '../durable/audit.ts';
