import { byId, onFrame, theOne } from './dom.ts';
import { clock, duration } from './format.ts';
import type { View } from './view.ts';

/** The time slider, above an overview of how much happened when. */
export class Scrubber {
  readonly #view: View;
  readonly #slider = theOne('input', 'time');
  readonly #canvas = theOne('canvas', 'overview');
  readonly #past = byId('past');
  readonly #moment = byId('moment');
  readonly #live = byId('live');
  readonly #play = byId('play');
  readonly #speed = theOne('select', 'speed');
  readonly draw: () => void;
  #frame: number | undefined;
  /** Measured in advance: reading the size while drawing would force a layout of the whole page. */
  #size = { width: 0, height: 0 };
  /** The key of the last overview drawn. */
  #drawn = '';

  constructor(view: View) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#slider.addEventListener('input', () => {
      this.pause();
      view.seek(view.runs.from + Number(this.#slider.value));
    });
    this.#live.addEventListener('click', () => {
      this.pause();
      view.seek(Infinity);
    });
    this.#play.addEventListener('click', () => this.toggle());
    new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = this.#canvas;
      this.#size = { width, height };
      this.draw();
    }).observe(this.#canvas);
  }

  get isPlaying(): boolean {
    return this.#frame !== undefined;
  }

  /** Starts playing, from the beginning if the end was reached, or pauses. */
  toggle(): void {
    if (this.isPlaying) return this.pause();
    const view = this.#view;
    if (!Number.isFinite(view.runs.from)) return;
    if (view.isFollowing) view.seek(view.runs.from);
    let before = performance.now();
    const step = (now: number): void => {
      const moment = view.moment + (now - before) * Number(this.#speed.value);
      before = now;
      this.#frame = requestAnimationFrame(step);
      if (moment < view.now) return view.seek(moment);
      this.pause();
      view.seek(Infinity);
    };
    this.#frame = requestAnimationFrame(step);
    this.draw();
  }

  pause(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.draw();
  }

  #draw(): void {
    const { runs, moment, now, isFollowing } = this.#view;
    const hasAny = Number.isFinite(runs.from);
    const length = hasAny ? Math.max(1, now - runs.from) : 1;
    const passed = hasAny ? Math.min(length, moment - runs.from) : 1;
    this.#slider.max = String(length);
    this.#slider.value = String(passed);
    const share = `${(passed / length) * 100}%`;
    this.#past.style.width = share;
    const text = hasAny
      ? `${clock(Math.min(moment, now))}  ${duration(passed)} of ${duration(length)}`
      : '';
    this.#moment.textContent = text;
    this.#slider.setAttribute('aria-valuetext', text);
    this.#live.setAttribute('aria-pressed', String(isFollowing));
    this.#play.classList.toggle('playing', this.isPlaying);
    this.#play.setAttribute('aria-label', this.isPlaying ? 'Pause' : 'Play');
    this.#drawOverview(length);
  }

  #drawOverview(length: number): void {
    const { runs } = this.#view;
    const { density } = runs;
    const ratio = devicePixelRatio;
    const [width, height] = [this.#size.width * ratio, this.#size.height * ratio];
    const { theme } = document.documentElement.dataset;
    const { callCount, deniedCount } = runs;
    const drawn = [width, height, theme, length, runs.from, callCount, deniedCount].join(' ');
    if (width === 0 || drawn === this.#drawn) return;
    this.#drawn = drawn;
    // Setting its size clears it.
    this.#canvas.width = width;
    this.#canvas.height = height;
    if (density.from === undefined) return;
    const context = this.#canvas.getContext('2d')!;
    const style = getComputedStyle(this.#canvas);
    const slot = 3 * ratio;
    const slots = Math.floor(width / slot);
    const [calls, denied, failed] = [0, 1, 2].map(() => new Float64Array(slots + 1)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const shift = density.from - runs.from;
    for (let i = 0; i < density.calls.length; i++) {
      const at = shift + (i + 0.5) * density.width;
      const into = Math.floor((at / length) * slots);
      if (into < 0 || into > slots) continue;
      calls[into]! += density.calls[i]!;
      denied[into]! += density.denied[i]!;
      failed[into]! += density.failed[i]!;
    }
    const most = calls.reduce((a, b) => Math.max(a, b), 1);
    const paint = (colour: string, counts: Float64Array): void => {
      context.fillStyle = style.getPropertyValue(colour);
      for (let i = 0; i <= slots; i++) {
        if (counts[i] === 0) continue;
        const tall = Math.max(0.16, Math.sqrt(counts[i]! / most)) * (height - 2 * ratio);
        context.fillRect(i * slot, height - tall, slot - ratio, tall);
      }
    };
    paint('--overview', calls);
    paint('--fail', failed);
    paint('--deny', denied);
  }
}
