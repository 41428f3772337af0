import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { builtInTools } from '../../../src/agent/tools/index.ts';
import type { ToolResult } from '../../../src/core/protocol/tool-result.ts';

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookmachine-tools-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Calls a built-in tool as the agent does, with checked arguments. */
export async function call(
  name: string,
  args: object,
  cwd: string,
  signal = new AbortController().signal,
): Promise<ToolResult> {
  const tool = builtInTools().get(name)!;
  return tool.execute(schemaOf(name).parse(args) as object, { cwd, signal });
}

/** The built-in tools describe their arguments with zod. */
export const schemaOf = (name: string): z.ZodType =>
  builtInTools().get(name)!.parameters as unknown as z.ZodType;

/** The text that the model reads; every built-in tool answers in plain text. */
export const textOf = ({ llmContent }: ToolResult): string => llmContent as string;

/** The schema's complaints about the arguments. */
export function complaints(name: string, args: object): string[] {
  const parsed = schemaOf(name).safeParse(args);
  return parsed.error?.issues.map((issue) => issue.message) ?? [];
}
