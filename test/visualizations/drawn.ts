export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Point = readonly [x: number, y: number];

export interface DrawnState extends Box {
  readonly id: string;
  readonly kind: string;
}

export interface DrawnLine {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Its straight pieces. */
  readonly pieces: readonly Box[];
}

export interface DrawnLabel extends Box {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly lines: readonly string[];
}

/** What a browser would draw, read only from the SVG itself. */
export interface Drawn {
  readonly canvas: Box;
  readonly states: readonly DrawnState[];
  readonly lines: readonly DrawnLine[];
  readonly labels: readonly DrawnLabel[];
  readonly heads: readonly Box[];
}

export function drawnIn(svg: string): Drawn {
  const [, x, y, width, height] = svg.match(/ viewBox="(\S+) (\S+) (\S+) (\S+)"/)!.map(Number);
  const ends = 'data-from="(.+?)" data-to="(.+?)"';
  return {
    canvas: { x: x!, y: y!, width: width!, height: height! },
    states: all(
      svg,
      /<g class="state (\w+)[^"]*" data-state="(.+?)">(.*?)<rect class="box"(.+?)\/>/g,
    ).map(([kind = '', id = '', , rect = '']) => ({ ...boxOf(rect), id, kind })),
    lines: all(svg, new RegExp(`<path class="edge[^"]*" ${ends} d="(.+?)"`, 'g')).map(
      ([from = '', to = '', path = '']) => {
        return { name: `${from} → ${to}`, from, to, pieces: piecesOf(pointsOf(path)) };
      },
    ),
    labels: all(svg, new RegExp(`<g class="label[^"]*" ${ends}>(.*?)</g>`, 'g')).map(
      ([from = '', to = '', content = '']) => ({
        ...boxOf(content),
        name: `label ${from} → ${to}`,
        from,
        to,
        lines: all(content, /<text.*?>(.*?)<\/text>/g).map(([line = '']) => unescaped(line)),
      }),
    ),
    heads: all(svg, /<path class="head[^"]*" d="(.+?)"/g).map(([path = '']) =>
      around(pointsOf(path)),
    ),
  };
}

export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export const contains = (outer: Box, { x, y, width, height }: Box): boolean =>
  x >= outer.x &&
  y >= outer.y &&
  x + width <= outer.x + outer.width &&
  y + height <= outer.y + outer.height;

const all = (text: string, pattern: RegExp): string[][] =>
  [...text.matchAll(pattern)].map(([, ...groups]) => groups);

function boxOf(markup: string): Box {
  const number = (name: string): number =>
    Number(new RegExp(` ${name}="(\\S+?)"`).exec(markup)?.[1]);
  return { x: number('x'), y: number('y'), width: number('width'), height: number('height') };
}

/** The corners of a path; for a rounded corner, the point that it is rounded around. */
function pointsOf(path: string): Point[] {
  const steps = [...path.matchAll(/([MLQ])([\d.-]+) ([\d.-]+)/g)];
  const corners = steps.filter(([, step], index) => {
    return step === 'Q' || steps[index + 1]?.[1] !== 'Q';
  });
  return corners.map(([, , x, y]) => [Number(x), Number(y)]);
}

const piecesOf = (points: readonly Point[]): Box[] =>
  points.slice(1).map((point, index) => around([points[index]!, point]));

function around(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
