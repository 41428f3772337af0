import { createInterface } from 'node:readline/promises';

/** Asks on the terminal; only a clear yes is one, and the end of the input is a no. */
export async function confirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => {
      terminal.once('close', () => resolve(''));
    });
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), ended]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}
