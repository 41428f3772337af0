import type { QueryEffect } from '../../shell/reading/effects.ts';

/** Returns what a database would lose by these statements, as a phrase; undefined if nothing. */
export function lossOf(text: string, language: QueryEffect['language']): string | undefined {
  if (language === 'redis') return ofRedis(text);
  return language === 'mongo' ? ofMongo(text) : sqlStatements(text).map(ofSql).find(Boolean);
}

/** Splits SQL into its statements, without comments and with strings emptied. */
function sqlStatements(text: string): string[] {
  return text
    .replaceAll(/'(?:[^']|'')*'|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*(?!!)[^]*?\*\//g, (found) =>
      found.startsWith("'") ? "''" : ' ',
    )
    .replaceAll(/\/\*!\d*|\*\//g, ' ')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '));
}

function ofSql(statement: string): string | undefined {
  const plain = statement.replace(/^(?:EXPLAIN(?: \([^)]*\))? )/i, (found) =>
    /analyze/i.test(found) ? '' : 'explain ',
  );
  if (plain.startsWith('explain ')) return undefined;
  const [, what] =
    /\bDROP (DATABASE|SCHEMA|TABLE|VIEW|MATERIALIZED VIEW|INDEX|ROLE|USER|KEYSPACE|TABLESPACE|COLLECTION|SEQUENCE|TYPE|FUNCTION|EXTENSION|OWNED)\b/i.exec(
      plain,
    ) ?? [];
  if (what !== undefined && /^(?:DROP|DO|BEGIN|EXEC|CREATE)/i.test(plain))
    return /^(?:INDEX|VIEW|FUNCTION|SEQUENCE|TYPE|EXTENSION|MATERIALIZED VIEW)$/i.test(what)
      ? undefined
      : `drop a ${what.toLowerCase()}`;
  if (/^TRUNCATE\b/i.test(plain)) return 'empty a table';
  if (
    /^ALTER TABLE\b.*\bDROP (?!CONSTRAINT|INDEX|DEFAULT|NOT NULL|EXPRESSION|IDENTITY)/i.test(plain)
  )
    return 'drop a column';
  if (
    /\bDELETE FROM [\w."`[\]]+(?: (?:AS )?\w+)?(?: USING .*)?$/i.test(plain) ||
    /\bDELETE FROM .* WHERE (?:1 ?= ?1|TRUE|'' ?= ?'')\b/i.test(plain)
  )
    return 'delete all rows of a table';
  if (
    /^(?:WITH .* )?UPDATE [\w."`[\]]+(?: (?:AS )?\w+)? SET (?!.*\bWHERE\b)/i.test(plain) ||
    /^UPDATE .* WHERE (?:1 ?= ?1|TRUE)\b/i.test(plain)
  )
    return 'change all rows of a table';
  return undefined;
}

const ofMongo = (text: string): string | undefined => {
  if (/\.dropDatabase\(|dropDatabase\s*:/.test(text)) return 'drop a database';
  if (/\.drop(?:Indexes)?\(\s*\)|\.(?:dropUser|dropRole|dropAllUsers\w*)\(/.test(text))
    return 'drop a collection';
  if (/\.(?:deleteMany|remove)\(\s*(?:\{\s*\})?\s*[,)]/.test(text))
    return 'delete all documents of a collection';
  return /\.updateMany\(\s*\{\s*\}/.test(text) ? 'change all documents of a collection' : undefined;
};

const ofRedis = (text: string): string | undefined => {
  if (/(?:^|\s)(?:FLUSHALL|FLUSHDB)\b/i.test(text)) return 'empty the database';
  if (/(?:^|\s)(?:SHUTDOWN|DEBUG\s+SEGFAULT)\b/i.test(text)) return 'stop the server';
  return /(?:^|\s)(?:SCRIPT|EVAL)\b.*\bflush/i.test(text) ? 'empty the database' : undefined;
};
