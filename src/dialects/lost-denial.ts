import { isRecord } from '../protocol/output.ts';
import type { Answer } from './answer.ts';
import { foreignWords, nearest, saysNo } from './deciding-words.ts';
import { embeddedObjects } from './printed-json.ts';

/** Any word by which a hook could say no; where none is, nothing else needs to be looked at. */
const anyNo = /den(?:y|ied)|block|reject|refuse|forbid|disallow|cancel|false|true/i;

/** A denial in JSON that is broken, or that stands in a string: a field and its value are enough. */
const brokenNo =
  /(?:decision|permission|behavior)[\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\"']{0,8}(?:deny|denied|block|reject)|(?:blocked|"block\\*"|"deny\\*")[\\"']{0,8}\s{0,8}[:=]\s{0,8}true|continue[\\"']{1,8}\s{0,8}[:=]\s{0,8}false/i;

const words = [
  { name: 'decision' },
  { name: 'continue' },
  { name: 'hookSpecificOutput' },
  ...foreignWords,
];

/** The word that a key stands for, whoever's it is. */
const wordOf = (key: string): string | undefined => nearest(key, words)?.name;

/** Whether an object says no in whatever words. */
export const deniesSomehow = (object: Readonly<Record<string, unknown>>): boolean =>
  saysNo(object, wordOf);

/** Whether a text that is no answer holds a denial: as a JSON object with something around it, or as a broken one. */
export function holdsDenial(printed: string): boolean {
  // What is left of another encoding stands between the letters.
  const text = printed.replaceAll('\0', '');
  if (!text.includes('{') || !anyNo.test(text)) return false;
  for (const json of embeddedObjects(text)) {
    if (!anyNo.test(json)) continue;
    try {
      const object: unknown = JSON.parse(json);
      if (isRecord(object) && deniesSomehow(object)) return true;
    } catch {
      // It has escapes that JSON does not know.
    }
  }
  return brokenNo.test(text);
}

/** The answer of a hook that did its work, with a note of a denial that it printed on stderr, where none is read. */
export function withLostDenial(answer: Answer): Answer {
  const { decision, stop, status, stderr, notes } = answer;
  if (decision === 'deny' || stop || status !== 'ok' || !holdsDenial(stderr)) return answer;
  const lost = 'a denial was NOT read: the hook printed it on stderr; print it on stdout';
  return { ...answer, notes: [...notes, lost] };
}
