/** Returns the recipes of these targets and of what they depend on; the first target's if none is named. */
export function recipesOf(
  text: string,
  targets: readonly string[],
  given: ReadonlyMap<string, string>,
): string[] {
  const variables = new Map<string, string>();
  const rules = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  const expanded = (line: string): string =>
    line
      .replaceAll(
        /\$[({](\w+)[)}]/g,
        (_, name: string) => given.get(name) ?? variables.get(name) ?? `\${${name}}`,
      )
      .replaceAll(/\$\(shell\s+([^()\n]{0,1000})\)/g, '$($1)')
      .replaceAll('$$', () => '$');
  let current: { lines: string[] } | undefined;
  let first = '';
  const found: string[] = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const [, name, value] = /^([\w.-]+)\s*[:?+]?:?=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, expanded(value ?? ''));
    for (const [, code = ''] of line.matchAll(/\$\(shell\s+([^()\n]{0,1000})\)/g))
      if (name !== undefined) found.push(code);
    const rule = name === undefined ? /^([^\s:#=][^:=]*):([^=]*)$/.exec(line) : null;
    if (rule !== null) {
      const needs = rule[2]!.split(';')[0]!.trim().split(/\s+/).filter(Boolean);
      const made = {
        needs,
        lines: rule[2]!.includes(';') ? [rule[2]!.slice(rule[2]!.indexOf(';') + 1)] : [],
      };
      for (const target of rule[1]!.trim().split(/\s+/)) rules.set(target, made);
      if (first === '' && !rule[1]!.startsWith('.')) first = rule[1]!.trim().split(/\s+/)[0]!;
      current = made;
    } else if (line.startsWith('\t')) current?.lines.push(line.trim().replace(/^[@+-]+/, ''));
  }
  const done = new Set<string>();
  const add = (target: string): void => {
    const rule = rules.get(target);
    if (rule === undefined || done.has(target)) return;
    done.add(target);
    for (const need of rule.needs) add(need);
    found.push(...rule.lines.map(expanded));
  };
  for (const target of targets.length > 0 ? targets : [first]) add(target);
  return found;
}
