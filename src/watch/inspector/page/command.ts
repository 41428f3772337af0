import { shellWord } from '../../../base/shell-word.ts';
import type { About } from '../feed.ts';
import type { Row, Run } from './run.ts';

/**
 * The command that repeats what a run did: it calls the tool or fires the event, for a single hook if one is
 * in focus. Without payloads, it explains the call of a recording instead. Undefined if there is no such
 * command.
 */
export function commandOf(row: Row, focus: Run, about: About): string | undefined {
  const words = fireWords(focus) ?? toolWords(row) ?? explainWords(row, about);
  // A terminal may act on control characters in ways that nobody wants.
  if (words === undefined || words.some((word) => /\p{Cc}/u.test(word))) return undefined;
  const [first, ...others] = words.map(shellWord);
  return words[0] === 'printf'
    ? `printf %s ${others[0]!} | hookmachine ${others.slice(1).join(' ')}`
    : [first, ...others].join(' ');
}

/** Fires the event again, with the fields that it was fired with. */
function fireWords(focus: Run): string[] | undefined {
  const event = focus.machine === 'hookProcess' ? focus.parent : focus;
  const payload = event?.started?.payload;
  if (event?.machine !== 'hookEvent' || payload === undefined) return undefined;
  const hook = focus.machine === 'hookProcess' ? ['--hook', focus.name] : [];
  return ['printf', json(payload), 'fire', ...hook, ...positional(event.name)];
}

function toolWords({ machine, name, started }: Row): string[] | undefined {
  const payload = started?.payload;
  if (machine !== 'toolCall' || payload === undefined) return undefined;
  return ['hookmachine', 'tool', '--input', json(payload), ...positional(name)];
}

const explainWords = ({ kind, id }: Row, { source, title }: About): string[] | undefined =>
  source === 'recording' && kind !== 'session' && !title.includes(', ')
    ? ['hookmachine', 'explain', ...positional(title), id]
    : undefined;

/** Keeps a name that begins with `-` from being read as an option. */
const positional = (name: string): string[] => (name.startsWith('-') ? ['--', name] : [name]);

/** JSON on one line, without any character that a terminal may act on. */
const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
