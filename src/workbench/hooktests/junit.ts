/** The result of one test, as a report shows it. */
export interface Judged {
  readonly file: string;
  /** Where the test begins; undefined for a file that could not be read. */
  readonly line?: number;
  readonly name: string;
  readonly durationMs: number;
  /** One line for each fault; none if the test passed. */
  readonly lines: readonly string[];
}

/** The results as JUnit's XML, which most CI services read. */
export function junitOf(judged: readonly Judged[]): string {
  const files = [...new Set(judged.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = judged.filter((one) => one.file === file);
    return `  <testsuite name="${escaped(file)}" ${figures(own)}>\n${own.map(testCase).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="hookmachine test" ${figures(judged)}>\n${suites.join('')}</testsuites>\n`;
}

const figures = (judged: readonly Judged[]): string =>
  `tests="${judged.length}" failures="${judged.filter(({ lines }) => lines.length > 0).length}" time="${seconds(judged.reduce((sum, { durationMs }) => sum + durationMs, 0))}"`;

function testCase({ file, name, durationMs, lines }: Judged): string {
  const start = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(durationMs)}"`;
  return lines.length === 0
    ? `${start}/>\n`
    : `${start}>\n      <failure message="${escaped(lines[0]!)}">${escaped(lines.join('\n'))}</failure>\n    </testcase>\n`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML has no way to write control characters. */
const escaped = (text: string): string =>
  text
    .replaceAll(/(?![\n\t])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll(/[&<>"\n]/g, (char: string) => names[char]!);
