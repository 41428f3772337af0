import { Session, type Profiler } from 'node:inspector';

/** Counts which parts of our own code ran, using V8's block coverage. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** How many parts have run so far. */
  get size(): number {
    return this.#seen.size;
  }

  /** The parts that ran since the last call and had not been remembered. */
  news(): Set<string> {
    const news = new Set<string>();
    const { result } = this.#post(
      'Profiler.takePreciseCoverage',
    ) as Profiler.TakePreciseCoverageReturnType;
    for (const { url, functions } of result) {
      if (!isOurs(url)) continue;
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges) {
          const part = `${url}:${startOffset}:${endOffset}`;
          if (count > 0 && !this.#seen.has(part)) news.add(part);
        }
    }
    return news;
  }

  remember(parts: Iterable<string>): void {
    for (const part of parts) this.#seen.add(part);
  }

  close(): void {
    this.#session.disconnect();
  }

  /** In a session connected within the process, the answer is there when the call returns. */
  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, parameters, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  }
}

const isOurs = (url: string): boolean =>
  /\/(?:src|machines)\//.test(url) && !url.includes('/node_modules/');
