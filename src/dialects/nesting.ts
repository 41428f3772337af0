import { isRecord } from '../protocol/output.ts';

/** How deep a hook's values may be nested: whatever writes or compares them is recursive. */
const deepest = 500;

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const [openBrace, closeBrace, openBracket, closeBracket] = ['{', '}', '[', ']'].map((character) =>
  character.charCodeAt(0),
);

/** Whether a JSON text is nested too deep; reads it once, since large outputs must stay cheap. */
export function isTooDeep(json: string): boolean {
  if (json.length <= deepest) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code === backslash) at++;
      else if (code === quote) inText = false;
    } else if (code === quote) inText = true;
    else if (code === openBrace || code === openBracket) {
      if (++depth > deepest) return true;
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return false;
}

/** An object without the fields that are nested too deep, those of `hookSpecificOutput` looked at one by one. */
export function withoutDeepFields(
  object: Readonly<Record<string, unknown>>,
  notes: string[],
): Record<string, unknown> {
  const kept = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'hookSpecificOutput' && isRecord(value))
      return [[name, withoutDeepFields(value, notes)]];
    if (!goesDeeper(value, deepest)) return [[name, value]];
    notes.push(`"${name}" was ignored: it is nested more than ${deepest} levels deep`);
    return [];
  });
  return Object.fromEntries(kept);
}

function goesDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => goesDeeper(inner, levels - 1));
}
