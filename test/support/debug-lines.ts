import { onTestFinished, vi } from 'vitest';

/** What the debug log shows from now on until the test ends, with DEBUG set to this. */
export function debugLines(wanted: string): readonly string[] {
  const lines: string[] = [];
  vi.stubEnv('DEBUG', wanted);
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  onTestFinished(() => {
    stderr.mockRestore();
    vi.unstubAllEnvs();
  });
  return lines;
}
