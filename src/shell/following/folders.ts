import type { Following } from './following.ts';
import { literally, quote, type ExpandedWord } from './expanded-word.ts';

/** Follows `cd` and the like: from then on the command may be in one more folder. */
export function changeFolder(at: Following, args: readonly ExpandedWord[]): void {
  const { findings, places } = at;
  const target = args.find(({ written }) => !/^-[LPe@]+$|^--$/.test(written));
  if (target === undefined) {
    if (places.home !== undefined) enter(at, places.home);
    return;
  }
  if (target.written === '-') return;
  const texts = literally(target);
  if (texts === undefined) {
    findings.lost(`the target of ${quote(`cd ${target.written}`)} is not literal`);
    places.isLost = true;
    const words = target.written.match(/[\w./-]+/g) ?? [];
    for (const path of words.flatMap((word) => places.pathsOf(word)))
      if (places.disk.isFolder(path) && places.disk.isInProject(path)) enter(at, path);
    return;
  }
  for (const text of texts) for (const path of places.pathsOf(text)) enter(at, path);
}

function enter({ findings, places }: Following, folder: string): void {
  if (!places.enter(folder)) findings.lost('it goes through too many folders');
}
