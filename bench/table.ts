import { isMet, ratioColumn, type Results, type Row, type Table } from './results.ts';

/** Formats results as Markdown that is also readable as plain text. */
export function toMarkdown({ date, quick, machine, versions, tables }: Results): string {
  const { cpu, cores, memoryGB, system, node, load } = machine;
  const with_ = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const effort = quick ? 'A short run' : 'A full run';
  return [
    `${effort} on ${date}: ${cores} cores of ${cpu}, ${memoryGB} GB, ${system}, Node ${node.slice(1)}; load ${load} at the start; ${with_.join(', ')}.`,
    ...tables.flatMap((table) => [`### ${table.title}`, tableText(table)]),
  ].join('\n\n');
}

function tableText({ unit, columns, rows }: Table): string {
  const hasRatio = rows.some(({ ratio }) => ratio);
  const hasTarget = rows.some(({ targets = [] }) => targets.length > 0);
  const [ours, theirs] = columns;
  const head = [
    unit,
    ...columns,
    ...(hasRatio ? [`${ours} ÷ ${theirs} (80 % of rounds)`] : []),
    ...(hasTarget ? ['target', 'met'] : []),
  ];
  const body = rows.map((row) => [
    row.title,
    ...columns.map((column) => valueText(row, column)),
    ...(hasRatio ? [ratioText(row)] : []),
    ...(hasTarget ? [targetText(row, columns.length > 1), metText(row)] : []),
  ]);
  return aligned([head, ...body]);
}

function valueText({ values, intervals }: Row, column: string): string {
  const interval = intervals?.[column];
  const between = interval ? ` (${number(interval.low)} to ${number(interval.high)})` : '';
  return `${number(values[column])}${between}`;
}

const ratioText = ({ ratio }: Row): string =>
  ratio ? `${number(ratio.median)} (${number(ratio.low)}–${number(ratio.high)})` : '';

const targetText = ({ targets = [] }: Row, namesColumn: boolean): string =>
  targets
    .map(({ atMost, column }) => {
      const named = column !== ratioColumn && namesColumn ? ` ${column}` : '';
      return `≤ ${number(atMost)}${named}`;
    })
    .join(', ');

const metText = (row: Row): string =>
  (row.targets ?? []).map((target) => (isMet(row, target) ? 'yes' : '**no**')).join(', ');

/** Formats three significant digits, and no trailing zeros. */
function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  if (Math.abs(value) < 0.00005) return '0';
  return String(Number(value.toPrecision(Math.abs(value) < 1 ? 2 : 3)));
}

/** Pads columns to their widest cell: the first is left-aligned, numbers are right-aligned. */
function aligned(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const padded = (row: readonly string[]): string =>
    line(
      widths.map((width, column) =>
        column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      ),
    );
  const rule = line(
    widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  );
  return [padded(head), rule, ...body.map(padded)].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
