import { graphOf } from './graph.ts';
import { jsonOf } from './json.ts';
import { drawLot, layoutOf } from './layout.ts';
import { machines } from './machines.ts';
import { mermaidOf } from './mermaid.ts';
import { svgOf } from './svg.ts';

/** Returns the lot that a drawing was made with. */
export const lotOf = (svg: string): number => Number(/ data-lot="(\d+)"/.exec(svg)?.[1]);

/**
 * Makes every drawing of every machine, by file name. If `last` returns a machine's previous drawing, its lot
 * is used again, which takes a fraction of the time that choosing a lot does.
 */
export async function drawings(
  last: (file: string) => string | undefined = () => undefined,
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const [name, machine] of await machines()) {
    const graph = graphOf(machine);
    const before = last(`${name}.svg`);
    const layout = before === undefined ? layoutOf(graph) : drawLot(graph, lotOf(before));
    drawn.set(`${name}.svg`, svgOf(await layout));
    drawn.set(`${name}.mmd`, mermaidOf(graph));
    drawn.set(`${name}.json`, jsonOf(machine));
  }
  return drawn;
}
