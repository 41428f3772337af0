import { byId, make, theOne } from './dom.ts';
import type { Filter } from './filter.ts';
import type { Timeline } from './timeline.ts';

const decisions = [
  'denied',
  'refused',
  'asked',
  'allowed',
  'deferred',
  'stopped',
  'changed',
  'conflict',
  'failed',
  'timed out',
  'untrusted',
  'skipped',
  'cancelled',
];

const fields = {
  event: theOne('select', 'filter-event'),
  tool: theOne('select', 'filter-tool'),
  decision: theOne('select', 'filter-decision'),
};

/** What happens when the reader uses the controls. */
interface FilterListener {
  readonly onChange: () => void;
  /** Called before the reader types the first letter of a search. */
  readonly onSearch: () => void;
  readonly onAxis: (axis: Timeline['axis']) => void;
}

/** Connects the controls to the filter; what it returns applies them, and offers new names in them. */
export function setUpFilters(filter: Filter, { onChange, onSearch, onAxis }: FilterListener) {
  const apply = (): void => {
    filter.set({
      text: theOne('input', 'filter-text').value.trim(),
      event: fields.event.value,
      tool: fields.tool.value,
      decision: fields.decision.value,
    });
    byId('filter-clear').hidden = !filter.isOn;
    for (const field of Object.values(fields)) field.classList.toggle('on', field.value !== '');
    onChange();
  };
  fill(fields.decision, 'Any decision', new Set(decisions));
  const form = theOne('form', 'filters');
  form.addEventListener('input', ({ target }) => {
    const { name, value } = target as HTMLInputElement;
    if (name === 'axis') onAxis(value === 'length' ? 'length' : 'clock');
    else apply();
  });
  byId('filter-text').addEventListener('focus', onSearch);
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('filter-clear').addEventListener('click', () => {
    form.reset();
    onAxis('clock');
    apply();
    byId('rows').focus();
  });
  return {
    apply,
    showChoices({ events, tools }: Choices): void {
      fill(fields.event, 'Any event', events);
      fill(fields.tool, 'Any tool', tools);
    },
  };
}

/** The names that can be chosen. */
interface Choices {
  readonly events: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
}

function fill(field: HTMLSelectElement, any: string, names: ReadonlySet<string>): void {
  if (field.length === names.size + 1) return;
  const { value } = field;
  const sorted = [...names].toSorted((a, b) => a.localeCompare(b));
  field.replaceChildren(
    make('option', { value: '' }, any),
    ...sorted.map((each) => make('option', { value: each }, each)),
  );
  field.value = value;
}
