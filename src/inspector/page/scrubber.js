import { byId, onFrame } from './dom.js';
import { clock, duration } from './format.js';

/** The slider through time, above an overview of how much happened when. */
export class Scrubber {
  #view;
  #slider = byId('time');
  #canvas = byId('overview');
  #past = byId('past');
  #moment = byId('moment');
  #live = byId('live');
  #play = byId('play');
  #speed = byId('speed');
  #frame;

  /** @param {{ runs: object, moment: number, now: number, isFollowing: boolean, seek(moment: number): void }} view */
  constructor(view) {
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
    new ResizeObserver(() => this.draw()).observe(this.#canvas);
  }

  get isPlaying() {
    return this.#frame !== undefined;
  }

  /** Plays on, from the beginning if the end was reached, or pauses. */
  toggle() {
    if (this.isPlaying) return this.pause();
    const view = this.#view;
    if (!Number.isFinite(view.runs.from)) return;
    if (view.isFollowing) view.seek(view.runs.from);
    let before = performance.now();
    const step = (now) => {
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

  pause() {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.draw();
  }

  #draw() {
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

  #drawOverview(length) {
    const { runs } = this.#view;
    const { density } = runs;
    const ratio = devicePixelRatio;
    const [width, height] = [this.#canvas.clientWidth * ratio, this.#canvas.clientHeight * ratio];
    if (width === 0) return;
    // Setting its size clears it.
    this.#canvas.width = width;
    this.#canvas.height = height;
    if (density.from === undefined) return;
    const context = this.#canvas.getContext('2d');
    const style = getComputedStyle(this.#canvas);
    const slot = 3 * ratio;
    const slots = Math.floor(width / slot);
    const sums = ['calls', 'denied', 'failed'].map(() => new Float64Array(slots + 1));
    const shift = density.from - runs.from;
    for (let i = 0; i < density.calls.length; i++) {
      const at = shift + (i + 0.5) * density.width;
      const into = Math.floor((at / length) * slots);
      if (into < 0 || into > slots) continue;
      sums[0][into] += density.calls[i];
      sums[1][into] += density.denied[i];
      sums[2][into] += density.failed[i];
    }
    const most = sums[0].reduce((a, b) => Math.max(a, b), 1);
    const paint = (colour, counts, least) => {
      context.fillStyle = style.getPropertyValue(colour);
      for (let i = 0; i <= slots; i++) {
        if (counts[i] === 0) continue;
        const tall = Math.max(least, Math.sqrt(counts[i] / most)) * (height - 2 * ratio);
        context.fillRect(i * slot, height - tall, slot - ratio, tall);
      }
    };
    paint('--overview', sums[0], 0.16);
    paint('--fail', sums[2], 0.16);
    paint('--deny', sums[1], 0.16);
  }
}
