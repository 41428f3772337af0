import { byId, make, onFrame } from './dom.js';
import { Diagram } from './diagram.js';
import { factsOf } from './facts.js';
import { clock, duration, words } from './format.js';
import { movesAt, runTone, statusAt, workOf } from './moment.js';
import { isCall, partsOf } from './runs.js';
import { kindOf, nameOf } from './timeline.js';

/** Parts shown of a call; a call with more hooks than these is rare, and its facts list them all. */
const mostParts = 200;

/** All about the chosen row: its parts on a common time axis, its facts and the diagram of one part. */
export class Detail {
  #view;
  #box = byId('detail');
  #diagram = new Diagram();
  #facts = make('div', { class: 'facts', tabindex: '0', role: 'group', 'aria-label': 'Facts' });
  #head = make('header', { class: 'call' });
  #parts = make('div', { class: 'parts', role: 'group', 'aria-label': 'Machines of this call' });
  #caption = make('p', { class: 'caption' });
  #tabs;
  #drawn = '';
  #drawnRow;
  /** What the reader opened or closed, by run. */
  #opened = new Map();

  constructor(view) {
    this.#view = view;
    this.draw = onFrame(() => this.#draw());
    this.#tabs = make(
      'div',
      { class: 'tabs', role: 'tablist' },
      tab('facts', 'Facts'),
      tab('diagram', 'Diagram'),
    );
    this.#box.dataset.tab = 'facts';
    this.#box.append(
      make(
        'div',
        { class: 'panes' },
        this.#head,
        this.#parts,
        this.#tabs,
        this.#facts,
        make('div', { class: 'drawing' }, this.#caption, this.#diagram.element),
      ),
    );
    this.#box.addEventListener('click', ({ target }) => this.#clicked(target));
    // It does not bubble.
    this.#box.addEventListener(
      'toggle',
      ({ target }) => {
        const { run } = target.dataset;
        if (run !== undefined) this.#opened.set(run, target.open);
      },
      true,
    );
  }

  /** Shows facts or the diagram, where they share a place. */
  switchTab(name = this.#box.dataset.tab === 'facts' ? 'diagram' : 'facts') {
    this.#box.dataset.tab = name;
    for (const tab of this.#tabs.children)
      tab.setAttribute('aria-selected', String(tab.dataset.tab === name));
    this.draw();
  }

  /** Shows the diagram as a whole, or large enough to read all of it. */
  zoom() {
    this.#diagram.zoom();
    this.draw();
  }

  /** The previous or next machine of the call. */
  step(by) {
    const { selected, focus } = this.#view;
    if (!selected || selected.machine === 'session') return;
    const parts = [...partsOf(selected)];
    const next = parts[Math.min(parts.length - 1, Math.max(0, parts.indexOf(focus) + by))];
    this.#view.look(next);
  }

  #clicked(target) {
    const button = target.closest('button');
    if (!button) return;
    const { tab, focus, seek, open, row, zoom } = button.dataset;
    const { runs } = this.#view;
    if (tab) this.switchTab(tab);
    else if (zoom !== undefined) this.zoom();
    else if (focus) {
      this.#opened.delete(focus);
      this.#view.look(runs.byId.get(focus), button.closest('.facts') !== null);
    } else if (seek) this.#view.seek(Number(seek));
    else if (open) byId(open).showModal();
    else if (row) this.#view.choose(runs.byId.get(row), true);
  }

  #draw() {
    const { selected, focus, moment, runs, about } = this.#view;
    this.#box.classList.toggle('nothing', !selected);
    if (!selected) {
      this.#facts.replaceChildren(
        make('p', { class: 'hint' }, 'Choose a call to see what its hooks did.'),
      );
      return;
    }
    const isSession = selected.machine === 'session';
    this.#box.classList.toggle('plain', isSession);
    this.#drawParts();
    const known = countUpTo(runs.timesOf(selected), moment);
    const drawn = `${selected.id} ${focus.id} ${known} ${selected.version} ${about.payloads}`;
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#drawHead();
      this.#drawFacts();
    }
    if (isSession) return;
    const tone = runTone(focus, moment);
    const state = movesAt(focus, moment).at(-1)?.to;
    this.#caption.replaceChildren(
      make('strong', {}, focus.machine),
      ` ${focus === selected ? '' : focus.name}`,
      ...(state === undefined ? [] : [make('span', { class: `badge ${tone}` }, state)]),
      make('span', { class: 'grow' }),
      make(
        'button',
        { type: 'button', class: 'quiet', data: { zoom: '' }, 'aria-keyshortcuts': 'z' },
        this.#diagram.isWhole ? 'Larger' : 'Whole',
      ),
    );
    void this.#diagram.show(focus, moment, tone);
  }

  #drawHead() {
    const { selected, moment } = this.#view;
    const status = statusAt(selected, moment);
    const trail = [];
    for (let at = selected.parent; at; at = at.parent)
      trail.unshift(
        make(
          'button',
          { type: 'button', class: 'link', data: { row: at.id } },
          `${kindOf(at)} ${nameOf(at)}`,
        ),
      );
    if (selected.sessionRow)
      trail.unshift(
        make(
          'button',
          { type: 'button', class: 'link', data: { row: selected.sessionRow.id } },
          `Session ${nameOf(selected.sessionRow)}`,
        ),
      );
    this.#head.replaceChildren(
      make('nav', { class: 'trail', 'aria-label': 'Belongs to' }, ...trail),
      make(
        'h2',
        {},
        make('small', {}, kindOf(selected)),
        nameOf(selected),
        selected.machine !== 'session' &&
          make('span', { class: `badge big ${runTone(selected, moment)}` }, words(status)),
      ),
      make(
        'p',
        { class: 'when' },
        [
          clock(selected.at),
          selected.end !== undefined && duration(selected.end - selected.at),
          selected.callId && `id ${selected.callId}`,
        ]
          .filter(Boolean)
          .join('  ·  '),
      ),
    );
  }

  #drawFacts() {
    const { scrollTop } = this.#facts;
    const focused = document.activeElement?.closest?.('.facts [data-run]')?.dataset.run;
    const facts = factsOf(this.#view.selected, {
      ...pick(this.#view),
      isOpen: (run, otherwise) => this.#opened.get(run.id) ?? otherwise,
    });
    this.#facts.replaceChildren(...facts);
    // What the reader looks at stays where it is.
    this.#facts.scrollTop = this.#drawnRow === this.#view.selected ? scrollTop : 0;
    this.#drawnRow = this.#view.selected;
    if (focused !== undefined)
      this.#facts
        .querySelector(`[data-run="${CSS.escape(focused)}"] :is(summary, button)`)
        ?.focus();
  }

  /** Shows the facts of the part that is looked at. */
  reveal() {
    const part = this.#facts.querySelector('details.focus') ?? this.#facts.querySelector('.focus');
    if (!part) return;
    const { top } = part.getBoundingClientRect();
    const box = this.#facts.getBoundingClientRect();
    // Its beginning is what counts: a hook's streams may be longer than the page.
    if (top < box.top || top > box.bottom - box.height / 3)
      this.#facts.scrollTop += top - box.top - 12;
  }

  #drawParts() {
    const { selected, focus, moment, now } = this.#view;
    if (selected.machine === 'session') return this.#parts.replaceChildren();
    const end = Math.max(selected.end ?? now, selected.at + 1);
    const length = end - selected.at;
    const percent = (at) => `${Math.min(100, Math.max(0, ((at - selected.at) / length) * 100))}%`;
    const bar = (kind, from, to) => {
      const element = make('i', { class: kind });
      element.style.left = percent(from);
      element.style.width = `calc(${percent(Math.max(from, to))} - ${percent(from)})`;
      return element;
    };
    const buttons = [];
    for (const part of partsOf(selected)) {
      if (buttons.length >= mostParts) break;
      const tone = runTone(part, moment);
      const until = Math.min(part.end ?? now, Math.max(part.at, moment));
      const track = make('span', { class: 'part-track' });
      if (part.at <= moment) {
        if (part.machine === 'hookProcess') track.append(bar(`hook ${tone}`, part.at, until));
        else {
          track.append(bar('whole', part.at, until));
          if (isCall(part))
            for (const [from, to] of workOf(part, until))
              track.append(bar(`work ${part.machine}`, from, Math.max(from, Math.min(to, until))));
        }
      }
      buttons.push(
        make(
          'button',
          {
            type: 'button',
            class: `part ${part.machine} ${tone}`,
            'aria-pressed': part === focus,
            data: { focus: part.id },
          },
          make(
            'span',
            { class: 'part-name' },
            make('i', { class: `dot ${tone}` }),
            make('span', {}, part === selected ? `${kindOf(part)} ${nameOf(part)}` : part.name),
          ),
          track,
          make('span', { class: 'part-took' }, part.at <= moment ? duration(until - part.at) : ''),
        ),
      );
    }
    const held =
      this.#parts.contains(document.activeElement) && document.activeElement.dataset.focus;
    this.#parts.replaceChildren(...buttons);
    if (held) this.#parts.querySelector(`[data-focus="${CSS.escape(held)}"]`)?.focus();
  }
}

const tab = (name, text) =>
  make(
    'button',
    { type: 'button', role: 'tab', 'aria-selected': name === 'facts', data: { tab: name } },
    text,
  );

const pick = ({ moment, now, focus, about }) => ({ moment, now, focus, about });

/** How many of the times, in order, are not after a moment. */
export function countUpTo(times, moment) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
