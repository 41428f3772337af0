/** What is kept of an output, however much is written. */
export interface Kept {
  add(chunk: Buffer): void;
  /** All of it, decoded as one text, so that no character is cut at a chunk's end (C-36). */
  text(): string;
  /** Whether more came by than is kept. */
  readonly truncated: boolean;
}

/** Keeps the first bytes of an output. */
export class OutputHead implements Kept {
  readonly #chunks: Buffer[] = [];
  #room: number;
  #truncated = false;

  constructor(limit: number) {
    this.#room = limit;
  }

  /** What goes over the limit is thrown away, but was read: a hook that waits for its reader would never end. */
  add(chunk: Buffer): void {
    if (chunk.length > this.#room) this.#truncated = true;
    if (this.#room === 0) return;
    const kept = chunk.subarray(0, this.#room);
    this.#chunks.push(kept);
    this.#room -= kept.length;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** A character cut by the limit is left out. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(Buffer.concat(this.#chunks), { stream: this.#truncated });
  }
}

/** Keeps the first and the last bytes of an output, so that its memory is bounded and the end, where errors stand, is kept. */
export class OutputWindow implements Kept {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headRoom: number;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #seen = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
    this.#headRoom = this.#half;
  }

  get truncated(): boolean {
    return this.#seen > 2 * this.#half;
  }

  add(chunk: Buffer): void {
    this.#seen += chunk.length;
    const first = chunk.subarray(0, this.#headRoom);
    if (first.length > 0) this.#head.push(first);
    this.#headRoom -= first.length;
    const rest = chunk.subarray(first.length);
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    // Copying at twice the size keeps the cost of each byte constant, however small the chunks are.
    if (this.#tailSize > 2 * this.#half) this.#trim();
  }

  /** What was kept, decoded as a whole, so that no character is cut at a chunk's end; a gap is noted in its place. */
  text(): string {
    this.#trim();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const leftOut = this.#seen - head.length - tail.length;
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8');
    // In stream mode the decoder keeps back a character that the cut left incomplete.
    const start = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
    const end = tail.subarray(firstCharacter(tail)).toString('utf8');
    return `${start}\n[… ${leftOut} bytes left out …]\n${end}`;
  }

  #trim(): void {
    if (this.#tailSize <= this.#half) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-this.#half))];
    this.#tailSize = this.#half;
  }
}

/** A UTF-8 character has at most three bytes after its first. */
function firstCharacter(bytes: Buffer): number {
  let first = 0;
  while (first < 3 && (bytes[first]! & 0xc0) === 0x80) first++;
  return first;
}
