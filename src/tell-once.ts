import { oneLine } from './log.ts';

/** Passes each warning on once, on one line: what a user was told of the settings stays told when they are read again. */
export function tellOnce(tell: (line: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    const line = oneLine(text);
    if (told.has(line)) return;
    told.add(line);
    tell(line);
  };
}
