/** All of standard input as text; a closed one is empty. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EBADF' && code !== 'EIO' && code !== 'EAGAIN') throw error;
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}
