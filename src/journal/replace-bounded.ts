import { createContext, Script } from 'node:vm';
import { redacted } from './secrets.ts';

/** How long one expression may take over one text, in ms. */
const limit = 500;

/**
 * Redacts what an expression matches, bounded in time: V8 backtracks, and an expression that a user
 * wrote in haste would otherwise freeze the agent. A text that took too long is redacted as a whole,
 * and so is, from then on, every text of half its length, untried: all waiting together stays short.
 */
export function replaceBounded(regex: RegExp, tooSlow: () => void): (text: string) => string {
  // Without quantifiers there is nothing to try again.
  if (!/[*+?{]/.test(regex.source)) return (text) => text.replace(regex, hide);
  let longest = Infinity;
  return (text) => {
    if (text.length > longest) return redacted;
    try {
      return replaceWatched(regex, text);
    } catch {
      longest = Math.floor(text.length / 2);
      tooSlow();
      return redacted;
    }
  };
}

const hide = (match: string): string => (match === '' ? '' : redacted);

function replaceWatched(regex: RegExp, text: string): string {
  watched ??= {
    context: createContext({ hide }),
    script: new Script('text.replace(regex, hide)'),
  };
  Object.assign(watched.context, { regex, text });
  regex.lastIndex = 0;
  return watched.script.runInContext(watched.context, { timeout: limit }) as string;
}

let watched: { context: object; script: Script } | undefined;
