import type { HookSource } from '../protocol/events.ts';

/** Whose word goes before whose, the strongest first; a source's rank among hooks is another thing. */
export const authorities = [
  'system',
  'user',
  'project',
  'extension',
] as const satisfies HookSource[];

/** Whether what one source says holds for the hooks of another: for its own, and for those of weaker ones. */
export const reaches = (source: HookSource, hooksOf: HookSource): boolean =>
  authorities.indexOf(source) <= authorities.indexOf(hooksOf);
