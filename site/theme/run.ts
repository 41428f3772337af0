import toolCall from '../../visualizations/tool-call.svg?raw';
import hookEvent from '../../visualizations/hook-event.svg?raw';
import hookProcess from '../../visualizations/hook-process.svg?raw';
import type { JournalEntry } from '../../src/watch/journal/entry.ts';
import { runTone } from '../../src/watch/inspector/page/moment.ts';
import type { Run } from '../../src/watch/inspector/page/run.ts';
import { Runs } from '../../src/watch/inspector/page/runs.ts';

export { Diagram } from '../../src/watch/inspector/page/diagram.ts';
export { runTone };

const drawings = { 'tool-call': toolCall, 'hook-event': hookEvent, 'hook-process': hookProcess };

/** Puts the drawings of the machines where the inspector's `Diagram` looks for them. */
export function placeDrawings(): void {
  for (const [name, svg] of Object.entries(drawings)) {
    const id = `diagram-${name}`;
    if (document.getElementById(id) !== null) continue;
    const template = document.createElement('template');
    template.id = id;
    template.innerHTML = svg.replace(/<style>.*?<\/style>/s, '');
    document.body.append(template);
  }
}

/** Returns what a journal reported, each machine with its moves. */
export function runsOf(entries: readonly JournalEntry[]): readonly Run[] {
  const runs = new Runs();
  const moved = entries.filter((entry) => entry.kind === 'moved');
  const others = entries.filter((entry) => entry.kind !== 'moved');
  runs.add({
    last: entries.length,
    entries: others,
    steps: moved.map(({ to, event, from }) =>
      from === undefined ? [to, event] : [to, event, from],
    ),
    moves: moved.map(({ id, at }, index) => [id, [at, index]] as const),
  });
  return others.flatMap((entry) =>
    entry.kind === 'started' ? (runs.byId.get(entry.id) ?? []) : [],
  );
}

/** A step of the story: when it happened, and what did. */
export interface StoryLine {
  readonly at: number;
  readonly text: string;
  readonly tone: 'deny' | 'ok' | 'plain';
}

/** Tells a journal line by line, without the moves that say nothing to a reader. */
export function storyOf(entries: readonly JournalEntry[]): readonly StoryLine[] {
  const names = new Map<string, string>();
  return entries.flatMap((entry): StoryLine[] => {
    if (entry.kind === 'warned') return [];
    const { at, id } = entry;
    const line = (text: string, tone: StoryLine['tone'] = 'plain'): StoryLine[] => [
      { at, text, tone },
    ];
    if (entry.kind === 'started') {
      names.set(id, entry.machine === 'hookProcess' ? entry.name : entry.machine);
      if (entry.machine === 'toolCall') return line(`The model wants ${entry.name}.`);
      if (entry.machine === 'hookEvent')
        return line(`${entry.name}: ${String(entry.plan?.hooks.length ?? 0)} hooks are planned.`);
      return line(`${entry.name} starts.`);
    }
    const name = names.get(id) ?? '';
    if (entry.kind === 'moved')
      return name === 'toolCall' && entry.from !== undefined
        ? line(`toolCall: ${entry.from.split('.')[0]!} → ${entry.to.split('.')[0]!}`)
        : [];
    if (entry.kind === 'answered')
      return entry.decision === 'deny'
        ? line(`${name} denies: ${entry.reason ?? ''}`, 'deny')
        : line(`${name} answers: ${answerOf(entry)}.`, entry.status === 'ok' ? 'ok' : 'deny');
    if (entry.kind === 'verdict')
      return entry.blocked
        ? line(`The verdict is a denial, by ${entry.by ?? 'a hook'}.`, 'deny')
        : line(entry.ask ? 'The user must be asked.' : 'Nothing was denied.', 'ok');
    return name === 'toolCall' ? line(`The call is ${entry.status}.`, toneOf(entry.status)) : [];
  });
}

const toneOf = (status: string): StoryLine['tone'] => (status === 'done' ? 'ok' : 'deny');

function answerOf({
  decision,
  status,
  sets = [],
  error,
}: Extract<JournalEntry, { kind: 'answered' }>): string {
  if (status !== 'ok') return `it ${status}${error === undefined ? '' : ` (${error})`}`;
  const changes = sets.length === 0 ? '' : `, and sets ${sets.join(', ')}`;
  return `${decision ?? 'no opinion'}${changes}`;
}
