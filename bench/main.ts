/** `npm run bench`: compares hookmachine with what is used today. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { distFolder } from './engine.ts';
import { Field } from './events.ts';
import { describeMachine, versionIn } from './machine.ts';
import { isMet, measured, type Results, type Row, type Table } from './results.ts';
import { withSurroundings, type Surroundings } from './surroundings.ts';
import { toMarkdown } from './table.ts';
import { plan, type Means, type Planned } from './tables.ts';

const bench = new URL('..', import.meta.url);
const resultsFile = new URL('results.json', bench);
const docs = new URL('../docs/speed.md', bench);

const help = `npm run bench -- [options]
  --quick         a short run, for a first look
  --only ID       one scenario or table, may be repeated; results.json stays as it is: ${plan()
    .flatMap(({ id, planned }) => [id, ...planned.map((one) => one.id)])
    .join(', ')}
  --markdown      run nothing: write the last results into docs/speed.md
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) process.stdout.write(help);
else if (options.markdown) writeDocs();
else await run();

async function run(): Promise<void> {
  const chosen = choose(options.only);
  process.stderr.write(`measuring ${distFolder}\n`);
  const machine = describeMachine();
  const tables = await withSurroundings((surroundings) => measureAll(chosen, surroundings));
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    quick: options.quick,
    machine,
    versions: {
      hookmachine: versionIn(new URL('../package.json', bench)),
      ...dependencyVersions(),
    },
    tables,
  };
  // A partial run must not pass for a whole one.
  if (options.only === undefined)
    writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const missed = tables.flatMap(({ rows }) => rows.flatMap(missedTexts));
  const summary = [`Targets missed: ${missed.length}`, ...missed].join('\n');
  process.stdout.write(`${toMarkdown(results)}\n\n${summary}\n`);
}

type Chosen = ReturnType<typeof plan>;

function choose(only: readonly string[] | undefined): Chosen {
  if (only === undefined) return plan();
  const chosen = plan()
    .map((table) => ({
      ...table,
      planned: table.planned.filter(({ id }) => only.includes(id) || only.includes(table.id)),
    }))
    .filter(({ planned }) => planned.length > 0);
  if (chosen.length === 0) throw new Error(`--only ${only.join(' ')} names nothing.\n${help}`);
  return chosen;
}

async function measureAll(chosen: Chosen, surroundings: Surroundings): Promise<Table[]> {
  const tables: Table[] = [];
  for (const { title, unit, columns, planned } of chosen) {
    const field = new Field(surroundings);
    try {
      const rows: Row[] = [];
      for (const one of planned) rows.push(...(await measureOne(one, { field, surroundings })));
      tables.push({ title, unit, columns, rows });
    } finally {
      await field.end();
    }
  }
  return tables;
}

async function measureOne(planned: Planned, means: Means): Promise<readonly Row[]> {
  const startedAt = performance.now();
  process.stderr.write(`${planned.id} … `);
  const rows = await planned.measure(options.quick, means);
  process.stderr.write(`${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  return rows;
}

function missedTexts(row: Row): string[] {
  const missed = (row.targets ?? []).filter((target) => !isMet(row, target));
  return missed.map(
    ({ atMost, column }) =>
      `- ${row.title}: ${column} ${measured(row, column).toPrecision(3)} instead of ${atMost}`,
  );
}

function dependencyVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', bench), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

/** The document's text stays; only what is between the marks is replaced by the last run's results. */
function writeDocs(): void {
  const results = JSON.parse(readFileSync(resultsFile, 'utf8')) as Results;
  const text = readFileSync(docs, 'utf8');
  const marked = /(?<=<!-- results -->\n).*(?=<!-- end of results -->)/s;
  if (!marked.test(text)) throw new Error('docs/speed.md has no marks for the results');
  writeFileSync(
    docs,
    text.replace(marked, () => `\n${toMarkdown(results)}\n\n`),
  );
}
