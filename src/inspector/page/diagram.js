import { make } from './dom.js';
import { movesAt } from './moment.js';

/** A recording may name others, which nobody is asked for. */
const machines = new Set(['agentTurn', 'modelCall', 'toolCall', 'hookEvent', 'hookProcess']);

const drawings = new Map();

/**
 * A machine's drawing. The request is parsed by the browser as a document, so that the page needs no
 * right to make markup out of text.
 */
function drawingOf(machine) {
  if (!machines.has(machine)) return Promise.resolve(undefined);
  const known = drawings.get(machine);
  if (known) return known;
  const name = machine.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // A report has them in it.
  const drawn = document.getElementById(`diagram-${name}`)?.content.querySelector('svg');
  if (drawn) return Promise.resolve(drawn);
  const loading = new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', `diagrams/${name}.svg`);
    request.responseType = 'document';
    request.addEventListener('loadend', () => {
      const drawing = request.responseXML?.documentElement;
      // The next run that shows this machine asks again.
      if (!drawing) drawings.delete(machine);
      resolve(drawing);
    });
    request.send();
  });
  drawings.set(machine, loading);
  return loading;
}

/** The drawing of one run's machine, with the state it is in and the way it took. */
export class Diagram {
  element = make('div', {
    class: 'diagram',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Diagram',
  });
  #machine;
  #svg;
  #marked = '';
  isWhole = true;

  zoom() {
    this.isWhole = !this.isWhole;
    this.element.classList.toggle('large', !this.isWhole);
    if (this.#svg) this.#reveal();
  }

  /** Shows a run as it was at a moment. */
  async show(run, moment, tone) {
    if (run.machine !== this.#machine) {
      this.#machine = run.machine;
      this.#marked = '';
      const svg = await drawingOf(run.machine);
      // Another one may have been chosen meanwhile.
      if (this.#machine !== run.machine) return;
      this.#svg = svg && document.importNode(svg, true);
      this.#svg?.setAttribute('preserveAspectRatio', 'xMidYMin meet');
      this.element.replaceChildren(
        this.#svg ?? make('p', { class: 'hint' }, 'There is no drawing of this machine.'),
      );
    }
    if (!this.#svg) return;
    const moves = movesAt(run, moment);
    const mark = `${run.id} ${moves.length} ${tone}`;
    if (mark === this.#marked) return;
    this.#marked = mark;
    this.#mark(run.machine, moves, tone);
  }

  #mark(machine, moves, tone) {
    const svg = this.#svg;
    for (const element of svg.querySelectorAll('.visited, .current, .taken, .latest'))
      element.classList.remove('visited', 'current', 'taken', 'latest');
    svg.dataset.tone = tone;
    const states = new Map(
      [...svg.querySelectorAll('.state')].map((state) => [state.dataset.state, state]),
    );
    const edges = [...svg.querySelectorAll('path.edge')];
    for (const [index, { from, to }] of moves.entries()) {
      const isLast = index === moves.length - 1;
      for (const path of pathsTo(machine, to)) {
        states.get(path)?.classList.add('visited');
        if (isLast) states.get(path)?.classList.add('current');
      }
      if (from === undefined) continue;
      const edge = edgeOf(edges, `${machine}.${from}`, `${machine}.${to}`);
      if (!edge) continue;
      const { from: tail, to: head } = edge.dataset;
      const parts = [edge, edge.nextElementSibling];
      for (const label of svg.querySelectorAll('g.label'))
        if (label.dataset.from === tail && label.dataset.to === head) parts.push(label);
      for (const part of parts) {
        part.classList.add('taken');
        part.classList.toggle('latest', isLast);
      }
    }
    this.#reveal();
  }

  /** Scrolls until the current state is in sight, and no further. */
  #reveal() {
    const current = [...this.#svg.querySelectorAll('.current')].at(-1);
    if (!current) return;
    const { top, bottom } = current.getBoundingClientRect();
    const box = this.element.getBoundingClientRect();
    if (top < box.top) this.element.scrollTop += top - box.top - 20;
    else if (bottom > box.bottom) this.element.scrollTop += bottom - box.bottom + 20;
  }
}

/** A state and the states it is in, `alive` and `alive.running`. */
const pathsTo = (machine, state) => {
  const keys = state.split('.');
  return keys.map((_, index) => `${machine}.${keys.slice(0, index + 1).join('.')}`);
};

/** The edge between two states; one that leaves or enters a state around them counts, the nearest first. */
function edgeOf(edges, from, to) {
  return edges
    .filter(({ dataset }) => isIn(from, dataset.from) && isIn(to, dataset.to))
    .toSorted((a, b) => nearness(b) - nearness(a))[0];
}

const isIn = (state, outer) => state === outer || state.startsWith(`${outer}.`);

const nearness = ({ dataset }) => dataset.from.length + dataset.to.length;
