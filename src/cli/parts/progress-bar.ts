import { printable } from './printable.ts';

/** How often it is drawn, in ms. */
const often = 100;

const width = 24;

/** A progress bar on stderr; it shows nothing unless that is a terminal. */
export class ProgressBar {
  readonly #isShown = process.stderr.isTTY;
  readonly #total: number;
  #drawnAt = 0;

  /** `total` is the amount of work, in any unit. */
  constructor(total: number) {
    this.#total = total;
  }

  update(done: number, text: () => string): void {
    if (!this.#isShown || performance.now() - this.#drawnAt < often) return;
    this.#drawnAt = performance.now();
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    const full = Math.floor(share * width);
    const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
    const line = `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${printable(text())}`;
    // A terminal may not say how wide it is.
    const columns = process.stderr.columns > 0 ? process.stderr.columns : 80;
    process.stderr.write(`\r\u001B[K${line.slice(0, columns - 1)}`);
  }

  /** Clears the bar, so that something else can be written. */
  clear(): void {
    if (this.#isShown && this.#drawnAt > 0) process.stderr.write('\r\u001B[K');
  }
}
