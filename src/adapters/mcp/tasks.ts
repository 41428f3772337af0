import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import type { GuardedCall } from './guarded-call.ts';
import { type Message, objectIn } from './message.ts';

/** How many ended tasks are remembered. */
const mostKept = 1_000;

const relatedTask = 'io.modelcontextprotocol/related-task';

/** The calls that the server runs as tasks: their results are fetched later, maybe more than once. */
export class Tasks {
  readonly #calls = new Map<string, GuardedCall>();
  readonly #kept = new WeakSet<GuardedCall>();
  readonly #own = new Map<string, object>();

  /** Whether the server declared that it runs calls as tasks. */
  areKnown = false;

  /** Reads what a server answers to `initialize`. */
  heed({ value }: Message): void {
    const { tasks } = objectIn(objectIn(value, 'result'), 'capabilities');
    const requests = isRecord(tasks) ? objectIn(tasks, 'requests') : {};
    this.areKnown = 'call' in objectIn(requests, 'tools');
  }

  /** Keeps a call whose result will be fetched. */
  keep(taskId: string, call: GuardedCall): void {
    this.#calls.set(taskId, call);
    this.#kept.add(call);
    forgetOldest(this.#calls)?.withdraw('its task was forgotten');
  }

  /** The call behind a task. */
  callOf(message: Message): GuardedCall | undefined {
    return this.#calls.get(idIn(message));
  }

  /** Whether a call runs as a task. */
  has(call: GuardedCall): boolean {
    return this.#kept.has(call);
  }

  /** All calls that may still be waiting. */
  calls(): Iterable<GuardedCall> {
    return this.#calls.values();
  }

  /** Makes a task in place of one that the server was not asked for; it has this result already. */
  invent(result: object): object {
    const taskId = `hookmachine-${randomUUID()}`;
    this.#own.set(taskId, { ...result, _meta: { [relatedTask]: { taskId } } });
    forgetOldest(this.#own);
    return { task: stateOf(taskId) };
  }

  /** The answer to a request about an invented task; undefined for any other. */
  answer(message: Message): object | undefined {
    const taskId = idIn(message);
    const result = this.#own.get(taskId);
    return result && (message.value['method'] === 'tasks/result' ? result : stateOf(taskId));
  }
}

/** The id of the task in an answer to a call, if that is all that the answer holds. */
export function taskIn({ value }: Message): string | undefined {
  const { task, _meta, ...others } = objectIn(value, 'result');
  const taskId = isRecord(task) ? task['taskId'] : undefined;
  return typeof taskId === 'string' && Object.keys(others).length === 0 ? taskId : undefined;
}

const idIn = ({ value }: Message): string => String(objectIn(value, 'params')['taskId']);

const stateOf = (taskId: string): object => {
  const now = new Date().toISOString();
  return { taskId, status: 'completed', ttl: null, createdAt: now, lastUpdatedAt: now };
};

function forgetOldest<Value>(map: Map<string, Value>): Value | undefined {
  if (map.size <= mostKept) return undefined;
  const [key, oldest] = map.entries().next().value!;
  map.delete(key);
  return oldest;
}
