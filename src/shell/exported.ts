import { parse, type Word, type WordPart } from 'unbash';
import { inTable } from '../base/json.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables that a file of shell commands exports literally: quotes and known variables are
 * resolved, and anything that would have to be run is left out.
 */
export function exportsOf(text: string, known: Variables): Readonly<Record<string, string>> {
  const exported: Record<string, string> = {};
  const valueOf = (name: string): string => inTable(exported, name) ?? inTable(known, name) ?? '';
  for (const { command } of parse(text).commands) {
    if (command.type !== 'Command' || command.name?.value !== 'export') continue;
    for (const part of command.args) {
      if (part.type !== 'Assignment' || part.value.type !== 'Word') continue;
      const value = literal(part.value, valueOf);
      if (value !== undefined && !part.append && !part.index) exported[part.name] = value;
    }
  }
  return exported;
}

type ValueOf = (name: string) => string;

/** The text of a word; undefined if something would have to be run to get it. */
const literal = ({ parts, value }: Word, valueOf: ValueOf): string | undefined =>
  parts === undefined ? value : joined(parts, valueOf);

function joined(parts: readonly WordPart[], valueOf: ValueOf): string | undefined {
  const texts = parts.map((part) => textOf(part, valueOf));
  return texts.includes(undefined) ? undefined : texts.join('');
}

function textOf(part: WordPart, valueOf: ValueOf): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Glob':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return joined(part.parts, valueOf);
    case 'SimpleExpansion':
      return valueOf(part.text.slice(1));
    case 'ParameterExpansion':
      return part.operation || part.prefix || part.index ? undefined : valueOf(part.parameter);
    default:
      return undefined;
  }
}
