/** `hookmachine/durable`: tool calls that survive their hosts, and approvals that wait in a database. */

export { connectDurable, type Durable } from '../durable/connect.ts';
export type { DurableOptions, DurableRequest } from '../durable/options.ts';
export type { DurableOutcome, EndedCall, SuspendedCall, WaitOptions } from '../durable/outcome.ts';
export { checkDatabase, migrateDatabase, openHub, openRecords } from '../durable/records.ts';
export type { ChainProblem, VerifiedChain } from '../durable/chain.ts';
export type { HubAccess } from '../durable/hub-store.ts';
export type {
  CallRecords,
  DurableHost,
  DurableRecords,
  Migration,
  SubmittedRequest,
} from '../durable/records.ts';
export type { AnswerOptions, AnswerOutcome, Approvals } from '../durable/approvals.ts';
export type { ApprovalFilter } from '../durable/database/approvals.ts';
export type { ListOptions } from '../durable/approvals.ts';
export type { Approval, GivenAnswer } from '../durable/approvals.ts';
export { durableSettings } from '../durable/settings.ts';
export type { DurableSettings, ReadDurableSettings } from '../durable/settings.ts';
export type { Hold, HoldOptions, PruneOptions, Retention } from '../durable/retention.ts';
export type { Metric } from '../durable/database/metrics.ts';
export type { Policies, PolicyUse, PushedPolicy } from '../durable/policies.ts';
export type { HookSaid } from '../durable/judged.ts';
export type { Audit, AuditedEffect } from '../durable/audit.ts';
