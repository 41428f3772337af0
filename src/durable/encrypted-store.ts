import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { HookmachineError } from '../base/errors.ts';
import { canonicalJson } from '../base/canonical-json.ts';
import type { ApprovalRow } from './database/approvals.ts';
import type { CallRow, Submission, Submitted } from './database/calls.ts';
import { digestOf } from './database/digest.ts';
import type { CallStore } from './database/store.ts';

/** What an encrypted text begins with. It is stored as a JSON string, since it stands where JSON stands. */
const begin = 'hookmachine-encrypted-1:';

/** Whether a stored text is encrypted. */
export const isEncrypted = (text: string): boolean => text.startsWith(`"${begin}`);

interface Key {
  /** By which a text says what it was encrypted with. */
  readonly id: string;
  readonly cipher: Buffer;
  readonly nonce: Buffer;
}

const derived = (secret: Buffer, purpose: string): Buffer =>
  createHmac('sha256', secret).update(`hookmachine ${purpose}`).digest();

/** Keys that arguments, results and what hooks print are encrypted with: the first one, and older ones. */
export class PayloadKeys {
  readonly #keys: readonly Key[];

  /**
   * Reads keys of 32 bytes in base64, separated by commas. The first one encrypts; all decrypt.
   *
   * @throws {HookmachineError} `ARGUMENT_INVALID`
   */
  constructor(text: string) {
    this.#keys = text.split(',').map((one) => {
      const secret = Buffer.from(one.trim(), 'base64');
      if (secret.length !== 32)
        throw new HookmachineError(
          'ARGUMENT_INVALID',
          'A key for payloads must be 32 bytes in base64, as `openssl rand -base64 32` prints.',
        );
      const id = createHash('sha256').update(secret).digest('hex').slice(0, 12);
      return { id, cipher: derived(secret, 'cipher'), nonce: derived(secret, 'nonce') };
    });
  }

  /**
   * Encrypts a text by AES-256-GCM, for one place: it cannot be decrypted as that of another. For its place, a text
   * is always encrypted alike, so that a call that is made again is recognised without the key. Whoever reads the
   * database sees how long it is.
   *
   * @param place what the text is, such as the arguments of a certain call
   */
  encrypt(text: string, place: string): string {
    const { id, cipher: secret, nonce: from } = this.#keys[0]!;
    // A nonce must not serve two messages, of which the place is a part.
    const nonce = createHmac('sha256', from).update(JSON.stringify([place, text])).digest().subarray(0, 12); // prettier-ignore
    const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]); // prettier-ignore
    return JSON.stringify(`${begin}${id}:${sealed.toString('base64')}`);
  }

  /**
   * Decrypts a text, and returns one that is not encrypted as it is.
   *
   * @throws {HookmachineError} `PAYLOAD_UNREADABLE` if the key is missing, or the text was changed or moved
   */
  decrypt(text: string, place: string): string {
    if (!isEncrypted(text)) return text;
    const [id = '', sealed = ''] = (JSON.parse(text) as string).slice(begin.length).split(':');
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined)
      throw new HookmachineError(
        'PAYLOAD_UNREADABLE',
        `It was encrypted with the key ${id}, which is not here: add it to HOOKMACHINE_DURABLE_KEY.`,
      );
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.cipher, bytes.subarray(0, 12), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new HookmachineError('PAYLOAD_UNREADABLE', 'What is stored was changed, or is that of another call: it cannot be decrypted.', { cause }); // prettier-ignore
    }
  }
}

/** Texts on their way to a store and back. */
interface Seal {
  readonly close: (text: string, ...place: Place) => string;
  readonly open: <Text extends string | null>(text: Text, ...place: Place) => Text;
}

/** Where a text stands: the id of its call or question, and what it is there. */
type Place = readonly [of: string, what: string, name?: string];

/**
 * A store that gets to see no payloads: arguments, results, what hooks print and what people are shown are encrypted
 * before they reach it. What it needs is left readable: ids, workspaces, tools, who answered, and their notes.
 */
export function encryptedStore(store: CallStore, keys: PayloadKeys): CallStore {
  const seal: Seal = {
    close: (text, ...place) => keys.encrypt(text, JSON.stringify(place)),
    open: <Text extends string | null>(text: Text, ...place: Place) =>
      (text === null ? text : keys.decrypt(text, JSON.stringify(place))) as Text,
  };
  return {
    ...store,
    get isScarce() {
      return store.isScarce;
    },
    ...sealedCalls(store, seal),
    ...sealedEffects(store, seal),
    ...sealedQuestions(store, seal),
  };
}

function sealedCalls(store: CallStore, { close, open }: Seal) {
  const opened = <Row extends CallRow | undefined>(row: Row): Row =>
    row && {
      ...row,
      input: open(row.input, row.id, 'arguments'),
      judged: open(row.judged, row.id, 'judged'),
      outcome: open(row.outcome, row.id, 'outcome'),
    };
  // Two orders of the same arguments are the same call.
  const closed = (call: Submission): Submission => ({
    ...call,
    input: close(canonical(call.input), call.id, 'arguments'),
  });
  const submitted = async (submitting: Promise<Submitted>): Promise<Submitted> => {
    const { row, isNew } = await submitting;
    return { row: opened(row), isNew };
  };
  return {
    submit: (call, host) => submitted(store.submit(closed(call), host)),
    submitNew: (call, host) => submitted(store.submitNew(closed(call), host)),
    submitAgain: (call, host) => submitted(store.submitAgain(closed(call), host)),
    findCall: async (id) => opened(await store.findCall(id)),
    findLast: async (id) => opened(await store.findLast(id)),
    takeReady: async (...given) => opened(await store.takeReady(...given)),
    takeWithin: async (...given) => opened(await store.takeWithin(...given)),
    end: (lease, outcome) => store.end(lease, close(outcome, lease.call, 'outcome')),
    handOver: (id, tool, outcome) => store.handOver(id, tool, close(outcome, id, 'outcome')),
  } satisfies Partial<CallStore>;
}

const sealedEffects = (store: CallStore, { close, open }: Seal) =>
  ({
    claimEffect: async (lease, workspace, name, ...given) => {
      const claim = await store.claimEffect(lease, workspace, name, ...given);
      return claim.status === 'recorded'
        ? { ...claim, outcome: open(claim.outcome, lease.call, 'effect', name) }
        : claim;
    },
    recordEffect: async (lease, name, outcome) => {
      const place = [lease.call, 'effect', name] as const;
      return open(await store.recordEffect(lease, name, close(outcome, ...place)), ...place);
    },
    effectsOf: async (call) =>
      (await store.effectsOf(call)).map((row) => ({
        ...row,
        outcome: open(row.outcome, call, 'effect', row.name),
      })),
  }) satisfies Partial<CallStore>;

function sealedQuestions(store: CallStore, { close, open }: Seal) {
  const opened = <Row extends ApprovalRow | undefined>(row: Row): Row =>
    row && {
      ...row,
      shown: open(row.shown, row.call, 'arguments'),
      asked: open(row.asked, row.call, 'asked'),
      edited: open(row.edited, row.id, 'edited'),
    };
  return {
    suspend: (lease, { judged, shown, asked, ...question }) =>
      store.suspend(lease, {
        ...question,
        judged: close(judged, lease.call, 'judged'),
        shown: close(shown, lease.call, 'arguments'),
        asked: close(asked, lease.call, 'asked'),
        digest: digestOf(shown),
      }),
    suspendForHost: (call) =>
      store.suspendForHost({
        ...call,
        input: close(call.input, call.id, 'arguments'),
        judged: close(call.judged, call.id, 'judged'),
        asked: close(call.asked, call.id, 'asked'),
        digest: digestOf(call.input),
      }),
    approval: async (number) => opened(await store.approval(number)),
    approvalOf: async (call) => opened(await store.approvalOf(call)),
    approvals: async (page) => (await store.approvals(page)).map((row) => opened(row)),
    answerApproval: (number, answer) =>
      store.answerApproval(number, {
        ...answer,
        edited: answer.edited === undefined ? undefined : close(answer.edited, number, 'edited'),
      }),
    takeUntold: async (...given) =>
      (await store.takeUntold(...given)).map((row) => ({
        ...row,
        asked: open(row.asked, row.call, 'asked'),
      })),
  } satisfies Partial<CallStore>;
}

/** Arguments in one order of their names, if they have such a form. */
function canonical(json: string): string {
  try {
    return canonicalJson(JSON.parse(json));
  } catch {
    return json;
  }
}

/** Encrypts what reaches a store, if there are keys. */
export const withKeys = (store: CallStore, keys: string | undefined): CallStore =>
  keys === undefined ? store : encryptedStore(store, new PayloadKeys(keys));
