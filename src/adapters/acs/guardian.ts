import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isRecord } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import type { EventWithFields } from '../../core/protocol/input.ts';
import { acsVersion, type Envelope, isSigned, keyOf, signed } from '../../handlers/acs/wire.ts';
import { askedBy, decisionOf, faultIn, type Report } from './steps.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a Guardian needs. */
export interface GuardianOptions {
  /** The secret that messages are signed with; undefined: they are not. */
  readonly secret: string | undefined;
  /** Takes an event through hooks. */
  readonly judge: (
    asked: EventWithFields,
    metadata: Fields,
    signal: AbortSignal | undefined,
  ) => Promise<Report>;
  /** Default: the system's clock. */
  readonly now?: () => number;
}

/** How far a request's time may be off, in ms (§10.3). */
const skew = 300_000;

/** How many sessions are remembered, and how many requests of each. */
const mostSessions = 500;
const mostRequests = 20_000;

/** How long a decision may take, in ms; clients are told. */
const timeout = 60_000;

/** What is remembered of a session. */
interface Session {
  /** Ids of requests, so that none is judged twice. */
  readonly seen: Set<string>;
  /** The methods that were agreed upon; undefined until it was greeted. */
  methods: ReadonlySet<unknown> | undefined;
  /** The hash of the last entry of its chain (§8.2). */
  chain: string | undefined;
}

/** Who asks. */
interface Asking {
  readonly session: string;
  readonly metadata: Fields;
  readonly signal: AbortSignal | undefined;
}

/** A refusal of the registry (§17). */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers requests of the OWASP Agent Control Standard: what it calls a Guardian. */
export class Guardian {
  readonly #options: GuardianOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: GuardianOptions) {
    this.#options = options;
  }

  /** Answers one message; it never throws. Hooks end once the signal aborts. */
  async answer(request: Envelope, signal?: AbortSignal): Promise<Envelope> {
    const { id = null, params } = request;
    const metadata = isRecord(params) && isRecord(params['metadata']) ? params['metadata'] : {};
    const session = typeof metadata['session_id'] === 'string' ? metadata['session_id'] : '';
    const sign = (envelope: Envelope): Envelope =>
      this.#options.secret === undefined ? envelope : signed(envelope, this.#options.secret, session, keyOf(request)); // prettier-ignore
    try {
      const result = await this.#resultOf(request, { session, metadata, signal });
      const envelope = { jsonrpc: '2.0', id, result };
      return request['method'] === 'system/ping' ? envelope : sign(envelope);
    } catch (error) {
      const { code } = error as Partial<Refusal>;
      const about = { code: typeof code === 'number' ? code : -32_603, message: messageOf(error) };
      return sign({ jsonrpc: '2.0', id, error: about });
    }
  }

  async #resultOf(request: Envelope, { session, metadata, signal }: Asking): Promise<Fields> {
    const { jsonrpc, method, params } = request;
    if (jsonrpc !== '2.0' || typeof method !== 'string' || !isRecord(params))
      throw new Refusal(-32_600, 'Invalid Request: send one JSON-RPC 2.0 request');
    const { request_id: id, payload, timestamp } = params;
    const base = { type: 'final', acs_version: acsVersion, request_id: id };
    const given = isRecord(payload) ? payload : {};
    if (method === 'system/ping')
      return { ...base, decision: 'allow', payload: { status: 'ok', echo: given['echo'] ?? '', server_timestamp: new Date().toISOString() } }; // prettier-ignore
    const missing = [['request_id', id], ['timestamp', timestamp], ['metadata.session_id', session]].find(([, value]) => typeof value !== 'string' || value === ''); // prettier-ignore
    if (missing) throw new Refusal(-32_602, `Invalid params: "${String(missing[0])}" is missing`);
    const { secret } = this.#options;
    if (secret !== undefined && !isSigned(request, secret, session))
      throw new Refusal(-32_004, 'SIGNATURE_INVALID');
    const known = this.#sessions.get(session) ?? this.#open(session);
    this.#assertNew(known, String(id), String(timestamp));
    // A ServerHello is no decision.
    if (method === 'handshake/hello') return this.#greet(given, known);
    if (known.methods === undefined)
      throw new Refusal(-32_003, 'CAPABILITY_NOT_NEGOTIATED: begin with handshake/hello');
    const asked = askedBy(method, given);
    if (asked === undefined) throw new Refusal(-32_601, `Method not found: ${method}`);
    if (!known.methods.has(method))
      throw new Refusal(-32_003, `CAPABILITY_NOT_NEGOTIATED: methods_implemented of ClientHello has no "${method}"`); // prettier-ignore
    const fault = faultIn(method, given);
    if (fault !== undefined) throw new Refusal(-32_602, `Invalid params: ${fault}`);
    known.chain = entryHash({ ...params, method }, known.chain);
    const decision = asked === 'recorded' ? { decision: 'allow' } : decisionOf(method, await this.#options.judge(asked, metadata, signal)); // prettier-ignore
    return { ...base, chain_hash: known.chain, ...decision };
  }

  #open(id: string): Session {
    const session = { seen: new Set<string>(), methods: undefined, chain: undefined };
    this.#sessions.set(id, session);
    for (const oldest of this.#sessions.keys())
      if (this.#sessions.size > mostSessions) this.#sessions.delete(oldest);
    return session;
  }

  #greet(hello: Fields, session: Session): Fields {
    const missing = ['acs_versions_supported', 'methods_implemented', 'transports_supported', 'provenance_producer'].find((key) => !(key in hello)); // prettier-ignore
    if (missing !== undefined) throw new Refusal(-32_602, `Invalid params: ClientHello has no "${missing}"`); // prettier-ignore
    const list = (key: string): unknown[] => (Array.isArray(hello[key]) ? hello[key] : []);
    if (!list('acs_versions_supported').some((one) => /^0\.\d+\.\d+$/.test(String(one))))
      throw new Refusal(-32_001, `UNSUPPORTED_VERSION: ${acsVersion} is spoken here`);
    if (!list('transports_supported').includes('http'))
      throw new Refusal(-32_000, 'SESSION_REFUSED: http is spoken here');
    const methods = list('methods_implemented').filter((one) => askedBy(String(one), {}) !== undefined); // prettier-ignore
    session.methods = new Set(methods);
    return {
      negotiated_version: acsVersion,
      methods_evaluated: methods,
      selected_transport: 'http',
      signature_algorithms_supported: this.#options.secret === undefined ? [] : ['HMAC-SHA256'],
      timeout_config: { default_ms: timeout },
      skew_window_ms: skew,
      // Who asks us wants to be guarded.
      on_decision_failure: 'deny',
      policy_requires_provenance: false,
      profiles_accepted: ['acs-core'],
    };
  }

  #assertNew({ seen }: Session, id: string, timestamp: string): void {
    const off = Math.abs(Date.parse(timestamp) - (this.#options.now?.() ?? Date.now()));
    if (!(off <= skew)) throw new Refusal(-32_006, `TIMESTAMP_OUT_OF_WINDOW: it may be off by ${skew} ms`); // prettier-ignore
    if (seen.has(id)) throw new Refusal(-32_005, `REPLAY_DETECTED: ${id} was seen before`);
    seen.add(id);
    for (const oldest of seen) if (seen.size > mostRequests) seen.delete(oldest);
  }
}

const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** The hash of an entry of the session's chain, which holds the hash of the one before (§8.2). */
function entryHash({ method, ...params }: Fields, before: string | undefined): string {
  const { request_id: id, timestamp } = params;
  const entry = {
    entry_id: id,
    step_id: id,
    step_type: method,
    request_hash: hashOf(canonicalJson(params)),
    timestamp,
  };
  return hashOf(Buffer.concat([Buffer.from(canonicalJson(entry)), Buffer.from(before ?? '', 'hex')])); // prettier-ignore
}
