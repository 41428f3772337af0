import type { CopilotPointName } from './events.ts';

/** Our words for a source, a reason or a kind, as Copilot has them; the first of several for one of theirs is what theirs becomes. */
const theirWords: Readonly<
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

/** One of our words as Copilot has it; any other stays as it is. */
export const toCopilotWord = (event: CopilotPointName, ours: unknown): unknown =>
  theirWords[event]?.find(([own]) => own === ours)?.[1] ?? ours;

/** The same the other way. */
export const fromCopilotWord = (event: CopilotPointName, theirs: string): string =>
  theirWords[event]?.find(([, word]) => word === theirs)?.[0] ?? theirs;
