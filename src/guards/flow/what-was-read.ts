import { isRecord } from '../../base/json.ts';
import { redactor } from '../../settings/redaction/redactor.ts';
import type { Effect } from '../../shell/reading/effects.ts';
import { isSecret, shown } from '../../shell/reading/marks.ts';
import { isLocal } from '../../shell/reading/network.ts';
import { worksHere } from '../reading/call-effects.ts';
import { serverOf } from '../reading/tool-call.ts';
import { isLabel, type Label, type LabelOrigin, planted } from './labels.ts';

/** A tool call that has ended. */
export interface EndedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Everything that the model is shown of its result. */
  readonly text: string;
  /** What its commands and arguments did. */
  readonly effects: readonly Effect[];
}

/** How much of a result is looked through. */
const mostText = 200_000;

/** Folders whose files others wrote. */
const foreign =
  /(?:^|\/)(?:node_modules|bower_components|vendor|third_party|site-packages|dist-packages|\.venv|venv|registry\/src|go\/pkg\/mod|Downloads)(?:\/|$)/;

/** Tools that bring what others wrote, or data about people. */
const outside =
  /web|fetch|brows|navigate|crawl|scrape|mail|inbox|message|slack|discord|teams|chat|sms|issue|ticket|jira|comment|review|pull_?request|feed|calendar|event|drive|notion|confluence|document|page|transaction|search_(?:engine|internet|google|bing)|google|attachment|file_from|download/i;
const aboutPeople =
  /mail|inbox|contact|calendar|crm|customer|patient|employee|address_?book|payroll|salary|medical|bank|transaction|passport/i;

/** How texts speak that were planted for agents. */
const plantedShapes: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|other|preceding)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|tasks?|messages?|constraints?|context)\b/is,
  /<\/?(?:information|important|system|instructions?|admin|assistant|user_?task)>/i,
  /(?:\[|<\||#{2,} ?|^|\n)\s*(?:system|developer|admin(?:istrator)?|assistant|new)[ _-]?(?:prompt|message|override|instructions?|notice|note|task)\b/i,
  /\b(?:dear|hey|hi|hello|attention|note (?:to|for)|notice (?:to|for)|messages? (?:to|for|from)|important(?: message)?(?: to| for)?|instructions? for|dear)\b[^.\n]{0,40}\b(?:ai|a\.i\.|assistants?|agents?|llms?|(?:language )?models?|claude|chatgpt|gpt|copilot|gemini|codex|cursor|bots?)\b/i,
  /\b(?:if you are|if you're|you are|as) an? (?:\w+ ){0,2}(?:ai|llm|language model|assistant|agent|bot)\b/i,
  /\b(?:do not|don't|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|alert(?:ing)?|notify(?:ing)?|show(?:ing)?|ask(?:ing)?)\b.{0,40}\b(?:user|human|anyone|anybody|them|this|permission)\b/is,
  /\b(?:ai|assistants?|agents?|llms?|claude|copilot|gemini|codex)\b[^.\n]{0,40}\b(?:must|should|need to|have to|please|shall|are required to)\b[^.\n]{0,100}\b(?:run|execute|send|upload|post|forward|e-?mail|read|include|copy|call|fetch|transfer|delete)\b/i,
  /\b(?:before|after|in order to|to)\b[^.\n]{0,80}\b(?:you|please)\b[^.\n]{0,40}\b(?:must|need to|have to|should|first|please)\b[^.\n]{0,80}\b(?:run|execute|send|upload|post|forward|e-?mail|transfer|curl|wget)\b/i,
  /\b(?:send|upload|post|forward|e-?mail|exfiltrate|transmit|submit|copy|curl)\b[^\n]{0,120}(?:\.env\b|\bsecrets?\b|\bcredentials?\b|\bapi[ _-]?keys?\b|\bpasswords?\b|\btokens?\b|\bid_rsa\b|\bprivate keys?\b|\bconversation\b|\bsystem prompt\b|\benvironment variables?\b)[^\n]{0,120}(?:https?:|@|\bto\b)/i,
];

/** Whether a text speaks to agents as if it were their user. */
export const isPlanted = (text: string): boolean =>
  plantedShapes.some((shape) => shape.test(text.slice(0, mostText)));

/** Returns the text of a result. */
export function textOf(response: unknown): string {
  if (typeof response === 'string') return response;
  if (Array.isArray(response)) return response.map(textOf).join('\n');
  if (!isRecord(response)) return '';
  return Object.entries(response)
    .filter(([key]) => key !== 'data')
    .map(([, value]) => textOf(value))
    .join('\n');
}

/** Returns the labels that a session gets from a call, each with its source. */
export function originsOf(
  { tool, input, text, effects }: EndedCall,
  at: string,
  given: unknown,
): LabelOrigin[] {
  const found: LabelOrigin[] = [];
  const add = (label: Label, from: string): void => {
    found.push({ label, from: shown(from).slice(0, 300), tool, at });
  };
  for (const effect of effects) {
    // A copy of a secret looks like any other file to the calls that follow.
    if ((effect.kind === 'print' || effect.kind === 'file') && isSecret(effect.text ?? ''))
      add('secret', sourceOf(effects) ?? effect.by);
    if (effect.kind === 'file' && effect.action === 'read' && foreign.test(effect.path))
      add('untrusted', effect.path);
    if (effect.kind === 'send' && !isLocal(effect.to) && effect.to !== 'git')
      add('untrusted', effect.to);
  }
  const head = text.slice(0, mostText);
  if (
    !found.some(({ label }) => label === 'secret') &&
    redactor().text(head, Number.POSITIVE_INFINITY) !== head
  )
    add('secret', whereOf(tool, input));
  const server = serverOf(tool);
  const address = ['url', 'uri', 'href'].map((key) => input[key]).find((value) => typeof value === 'string' && /^https?:/i.test(value)); // prettier-ignore
  const isRemote = typeof address === 'string' && !isLocal(address);
  const isOwn = worksHere(effects);
  if (server !== undefined) add('untrusted', `the MCP server ${server}`);
  else if (isRemote) add('untrusted', address);
  else if (!isOwn && outside.test(tool)) add('untrusted', whereOf(tool, input));
  if (!isOwn && aboutPeople.test(tool)) add('personal', whereOf(tool, input));
  if (isPlanted(head)) add('untrusted', `${planted}${whereOf(tool, input)}`);
  // An embedder knows more of what its tools bring.
  for (const label of Array.isArray(given) ? given : [])
    if (isLabel(label)) add(label, whereOf(tool, input));
  return found;
}

/** The secret file that was read. */
const sourceOf = (effects: readonly Effect[]): string | undefined =>
  effects.find((effect) => effect.kind === 'file' && effect.action === 'read')?.by;

/** Says for people what a call has read. */
export function whereOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const told = ['file_path', 'path', 'absolute_path', 'url', 'command']
    .map((key) => input[key])
    .find((value): value is string => typeof value === 'string' && value !== '');
  return told === undefined ? tool : told;
}
