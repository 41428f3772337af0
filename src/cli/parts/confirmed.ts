import { createInterface } from 'node:readline/promises';

/** Asks on the terminal. Only a clear yes counts; the end of the input means no. */
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
