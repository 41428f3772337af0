import type { CopilotPointName } from './events.ts';

/**
 * Copilot's words for our sources, reasons and kinds. If several of ours share one of theirs, theirs
 * becomes the first of them.
 */
const copilotWords: Readonly<
  Partial<Record<CopilotPointName, readonly (readonly [string, string])[]>>
> = {
  sessionStart: [
    ['startup', 'new'],
    ['clear', 'new'],
    ['compress', 'new'],
  ],
  sessionEnd: [
    ['exit', 'complete'],
    ['prompt_input_exit', 'user_exit'],
    ['clear', 'user_exit'],
    ['logout', 'user_exit'],
    ['other', 'complete'],
  ],
  notification: [['ToolPermission', 'permission_prompt']],
};

/** Returns Copilot's word for one of ours; any other stays as it is. */
export const toCopilotWord = (event: CopilotPointName, ours: unknown): unknown =>
  copilotWords[event]?.find(([own]) => own === ours)?.[1] ?? ours;

/** The reverse of `toCopilotWord`. */
export const fromCopilotWord = (event: CopilotPointName, theirs: string): string =>
  copilotWords[event]?.find(([, word]) => word === theirs)?.[0] ?? theirs;
