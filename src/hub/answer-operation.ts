import { isUint8Array } from 'node:util/types';
import { isRecord } from '../base/json.ts';
import type { Database } from '../durable/database/postgres.ts';
import { operations, type OperationName } from '../durable/database/store.ts';
import { machineRules } from './machine-rules.ts';
import { type CallPlaces, MachineScope } from './machine-scope.ts';
import type { Holder } from './known.ts';
import type { HubSettings } from './hub-settings.ts';
import { personOperations } from './person-rules.ts';
import { PersonScope } from './person-scope.ts';
import { refused } from './refused.ts';

/** Does what the holder of a token asks for, if they may. @throws {HookmachineError} `HUB_REFUSED` */
export async function answerOperation(
  {
    database,
    places,
    settings,
  }: {
    readonly database: Database;
    readonly places: CallPlaces;
    readonly settings: HubSettings;
  },
  holder: Holder,
  name: string,
  body: unknown,
): Promise<unknown> {
  if (!isOperation(name)) throw refused(`it knows no operation ${name}: is this hub older than its machines?`); // prettier-ignore
  if (!Array.isArray(body)) throw refused('an operation takes an array');
  if (holder.kind === 'person') {
    const operation = personOperations[name];
    if (operation === undefined) throw refused('only machines work on calls');
    return operation({ database, settings }, new PersonScope(holder), body);
  }
  const may = new MachineScope(holder, places);
  const { admit, show } = machineRules[name];
  const given = await admit(body, may);
  const made = await (operations[name] as (...all: unknown[]) => Promise<unknown>)(database, ...given); // prettier-ignore
  return show ? show(made as never, may) : made;
}

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** The text of a result, in which files are in base64. */
export const textOf = (value: unknown): string =>
  JSON.stringify({ value }, function (this: unknown, key, given: unknown) {
    const own = isRecord(this) ? this[key] : undefined;
    return isUint8Array(own) ? Buffer.from(own).toString('base64') : given;
  });
