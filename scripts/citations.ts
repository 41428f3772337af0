/** What tests are checked against: ids in the order of the document. */
export interface Requirements {
  readonly active: ReadonlyMap<string, string>;
  /** Ids that were merged into another, with that other. */
  readonly retired: ReadonlyMap<string, string>;
}

/** Reads `docs/requirements.md`: `- HOOK-001 statement`, and `- HOOK-121 is HOOK-188` for a retired id. */
export function readRequirements(markdown: string): Requirements {
  const active = new Map<string, string>();
  const retired = new Map<string, string>();
  for (const [, id, text] of markdown.matchAll(/^- ((?:HOOK|DELTA-[A-Z]+)-\d{3}[ab]?) (.+)$/gm)) {
    const [, successor] = /^is (HOOK-\d{3}[ab]?)$/.exec(text!) ?? [];
    if (successor === undefined) active.set(id!, text!);
    else retired.set(id!, successor);
  }
  return { active, retired };
}

const first = /\b(HOOK|DELTA-[A-Z]+)-(\d{3})([ab]?)(?!\w)/g;

/**
 * How a list of ids continues: ", 067a", " and HOOK-068", " to 070", "/b". A number before "§" is a chapter.
 */
const further =
  /(?:\s*[,;/&]\s*(?:and\s+)?|\s+and\s+|(?<range>\s+(?:to|through)\s+|\s*(?:[-–…]|\.{2,3})\s*))(?:(?<prefix>HOOK|(?:DELTA-)?H[A-Z]{3})-)?(?:(?<number>\d{3})(?<letter>[ab]?)|(?<!\s)(?<only>[ab]))(?!\w|\s*§|\s+s\d)/y;

/** The ids that a test's name cites, existing or not. Ranges and numbers without a letter are spelled out. */
export function citedIds(name: string, { active, retired }: Requirements): string[] {
  const all = [...active.keys(), ...retired.keys()];
  const cited = new Set<string>();
  const cite = (prefix: string, number: string, letter: string): void => {
    const id = `${prefix}-${number}${letter}`;
    const halves = letter === '' ? [`${id}a`, `${id}b`].filter((half) => active.has(half)) : [];
    for (const one of halves.length > 0 ? halves : [id]) cited.add(one);
  };
  for (const match of name.matchAll(first)) {
    let [, prefix, number, letter] = match as unknown as [string, string, string, string];
    cite(prefix, number, letter);
    further.lastIndex = match.index + match[0].length;
    for (let groups; (groups = further.exec(name)?.groups);) {
      const before = number;
      const isSeed = groups['prefix'] === undefined && Number(groups['number'] ?? 9) <= 4;
      // A small number after a greater one is a document: "HOOK-098, 003".
      if (isSeed && Number(groups['number']) <= Number(before)) break;
      const named = groups['prefix'] ?? prefix;
      prefix = /^H[A-Z]{3}$/.test(named) && named !== 'HOOK' ? `DELTA-${named}` : named;
      number = groups['number'] ?? number;
      letter = groups['letter'] ?? groups['only'] ?? '';
      cite(prefix, number, letter);
      if (groups['range'] !== undefined)
        for (const id of all.filter((one) => isBetween(one, prefix, before, number))) cited.add(id);
    }
  }
  return [...cited];
}

function isBetween(id: string, prefix: string, from: string, to: string): boolean {
  const number = id.startsWith(`${prefix}-`) ? id.slice(prefix.length + 1, prefix.length + 4) : '';
  return number > from && number < to;
}
