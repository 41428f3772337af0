import { compact } from './compact.ts';
import { isKnown, secretMark, unknownMark } from './marks.ts';
import { CommandLine, type OptionShape } from './options.ts';
import { touch } from './file-programs.ts';
import { readsSecret, type Program } from './program.ts';

interface Client {
  readonly shape: OptionShape;
  /** Options whose value is a statement, and those whose value is a file of statements. */
  readonly statements: readonly string[];
  readonly files: readonly string[];
  readonly language: 'sql' | 'mongo' | 'redis';
  /** How many operands stand before a statement; absent if operands are none. */
  readonly before?: number;
}

const clients: Readonly<Record<string, Client>> = {
  psql: {
    shape: {
      valued: 'cfdhpUvoLFRTP',
      longValued: ['command', 'file', 'dbname', 'host', 'port', 'username', 'set', 'output'],
    },
    statements: ['c', 'command'],
    files: ['f', 'file'],
    language: 'sql',
  },
  mysql: {
    shape: { valued: 'eDhPu', longValued: ['execute', 'database', 'host', 'port', 'user'] },
    statements: ['e', 'execute'],
    files: [],
    language: 'sql',
  },
  sqlite3: {
    shape: { hasSingleDash: true, longValued: ['cmd', 'separator', 'init', 'newline'] },
    statements: ['cmd'],
    files: ['init'],
    language: 'sql',
    before: 1,
  },
  sqlcmd: { shape: { valued: 'QqidSUP' }, statements: ['Q', 'q'], files: ['i'], language: 'sql' },
  duckdb: {
    shape: { valued: 'cs' },
    statements: ['c', 's'],
    files: [],
    language: 'sql',
    before: 1,
  },
  'clickhouse-client': {
    shape: { valued: 'qhud', longValued: ['query', 'host', 'user', 'database', 'queries-file'] },
    statements: ['q', 'query'],
    files: ['queries-file'],
    language: 'sql',
  },
  cqlsh: { shape: { valued: 'ef' }, statements: ['e'], files: ['f'], language: 'sql' },
  bq: { shape: {}, statements: [], files: [], language: 'sql', before: 1 },
  mongosh: {
    shape: { valued: 'up', longValued: ['eval', 'host', 'port', 'username'] },
    statements: ['eval'],
    files: ['f', 'file'],
    language: 'mongo',
  },
  'redis-cli': {
    shape: { valued: 'hpnau', isStrict: true },
    statements: [],
    files: [],
    language: 'redis',
    before: 0,
  },
};

const same: Readonly<Record<string, string>> = {
  mariadb: 'mysql',
  mycli: 'mysql',
  pgcli: 'psql',
  cockroach: 'mysql',
  sqlite: 'sqlite3',
  mongo: 'mongosh',
  'valkey-cli': 'redis-cli',
  clickhouse: 'clickhouse-client',
};

const query: Program = (at, args, program) => {
  const { shape, statements, files, language, before } = clients[same[program] ?? program]!;
  const line = new CommandLine(args, shape);
  const texts = [...line.all(...statements)];
  for (const file of line.all(...files)) texts.push(at.contentOf(at.path(file)));
  if (before !== undefined && line.operands.length > before)
    texts.push(line.operands.slice(before).join(' '));
  if (texts.length === 0 && at.stdin !== '') texts.push(at.stdin);
  let isSecretRead = false;
  for (const text of texts.map(compact)) {
    for (const [, file = ''] of text.matchAll(
      /\b(?:readfile|pg_read_file|load_file)\(\s*'([^']+)'/gi,
    ))
      isSecretRead = readsSecret(at, file) || isSecretRead;
    at.emit({ kind: 'query', language, program, text });
    for (const [, code = ''] of text.matchAll(/^\s*(?:\\!|\.(?:shell|system)|system)\s+([^\n]+)/gm))
      at.apart(() => at.code(code));
    for (const [, file = ''] of text.matchAll(/^\s*\.(?:output|once|dump|backup)\s+(\S+)/gm))
      touch(at, 'write', file);
    if (!isKnown(text)) continue;
    for (const [, file = ''] of text.matchAll(/^\s*(?:\\i|\.read|source)\s+([^\s;]+)/gm))
      at.emit({ kind: 'query', language, program, text: at.contentOf(at.path(file)) });
  }
  return isSecretRead ? secretMark : unknownMark;
};

/** Clients of databases, whose statements are read. */
export const databases: ReadonlyMap<string, Program> = new Map<string, Program>(
  [...Object.keys(clients), ...Object.keys(same)].map((name) => [name, query]),
);
