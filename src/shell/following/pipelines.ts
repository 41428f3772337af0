import type { Pipeline, SyntaxNode } from 'unbash';
import type { Following, Input } from './following.ts';

/** Follows commands that each read what the one before them prints. */
export function followPipeline(at: Following, { commands }: Pipeline): void {
  const before = at.input;
  for (const [index, command] of commands.entries()) {
    if (index > 0) at.input = printedBy(at, commands[index - 1]!);
    at.node(command);
  }
  at.input = before;
}

/** Returns what a command passes to the next one in a pipeline. */
function printedBy(at: Following, node: SyntaxNode): Input {
  if (node.type !== 'Command' || !node.name) return { from: 'pipe' };
  const words = [node.name, ...node.args].map((part) =>
    part.type === 'Word' ? at.means(part) : undefined,
  );
  if (!words.every((meant) => meant?.unknown === undefined && meant?.texts.length === 1))
    return { from: 'pipe' };
  const [name, ...args] = words.map((meant) => meant!.texts[0]!);
  if (name === 'cat' && args.length > 0 && !args.some((text) => text.startsWith('-')))
    return { from: 'pipe', files: args };
  if (name === 'echo' && !args.some((text) => text.startsWith('-') || text.includes('\\')))
    return { from: 'pipe', text: args.join(' ') };
  if (name === 'printf' && args.length === 1 && !/[%\\]/.test(args[0]!))
    return { from: 'pipe', text: args[0]! };
  return { from: 'pipe' };
}
