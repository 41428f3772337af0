import { approvalOperations } from './approvals.ts';
import { bundleOperations } from './bundles.ts';
import {
  end,
  findCall,
  findLast,
  keepPolicy,
  letGo,
  submit,
  submitAgain,
  submitNew,
  suspend,
  takeReady,
  takeWithin,
} from './calls.ts';
import { effectOperations } from './effects.ts';
import { hostCallOperations } from './host-calls.ts';
import { hostOperations } from './hosts.ts';
import { type Listen, listenTo } from './listening.ts';
import { metrics, unattended } from './metrics.ts';
import type { Database } from './postgres.ts';

/**
 * What a host does to stored calls. Each takes and returns plain data, and may be repeated if it is not known
 * whether it was done: a host may do it in the database itself, or have it done by a hub.
 */
export const operations = {
  submit,
  submitNew,
  submitAgain,
  findCall,
  findLast,
  takeReady,
  takeWithin,
  letGo,
  keepPolicy,
  suspend,
  end,
  metrics,
  unattended,
  ...approvalOperations,
  ...effectOperations,
  ...bundleOperations,
  ...hostOperations,
  ...hostCallOperations,
};

/** The name of an operation. */
export type OperationName = keyof typeof operations;

type Bound<Operation> = Operation extends (
  database: never,
  ...given: infer Given
) => Promise<infer Made>
  ? (...given: Given) => Promise<Made>
  : never;

/** The operations, for one host. */
export type BoundOperations = {
  readonly [Name in OperationName]: Bound<(typeof operations)[Name]>;
};

/** Where calls are stored, as one host uses it. */
export interface CallStore extends BoundOperations {
  /** Identifies it; a password in it does not count. */
  readonly address: string;
  /** Whether it is asked for too much: then whoever can wait asks less often. */
  readonly isScarce: boolean;
  /** Announces news of the calls of a workspace. */
  readonly listen: Listen;
  close(): Promise<void>;
}

/** Stores calls in a database. */
export function databaseStore(database: Database): CallStore {
  const bound = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (operation as (...all: readonly unknown[]) => unknown).bind(undefined, database),
    ]),
  ) as BoundOperations;
  return {
    ...bound,
    address: database.url,
    get isScarce() {
      return database.isScarce;
    },
    listen: (...given) => listenTo(database, ...given),
    close: async () => void (await database.end()),
  };
}
