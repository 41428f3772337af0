import { graphOf } from './graph.ts';
import { jsonOf } from './json.ts';
import { layoutOf } from './layout.ts';
import { machines } from './machines.ts';
import { mermaidOf } from './mermaid.ts';
import { svgOf } from './svg.ts';

/** Every drawing of every machine, by the name of its file. */
export async function drawings(): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const [name, machine] of await machines()) {
    const graph = graphOf(machine);
    drawn.set(`${name}.svg`, svgOf(await layoutOf(graph)));
    drawn.set(`${name}.mmd`, mermaidOf(graph));
    drawn.set(`${name}.json`, jsonOf(machine));
  }
  return drawn;
}
