/** What the caller knows about an event besides its fields; dialects pass more or less of it to hooks. */
export interface EventContext {
  /** The agent that the event comes from, if it is another program: `claude-code`. */
  readonly agent?: string | undefined;
  /** Default `main`. */
  readonly invokedBy?: InvokedBy | undefined;
  /** The recipe that the run follows, in hosts that have recipes. */
  readonly recipeName?: string | undefined;
  /** The model's id for the tool call that the event is about. */
  readonly toolCallId?: string | undefined;
  /** How long the tool ran, in ms; called only once it has finished. */
  readonly toolDuration?: (() => number | undefined) | undefined;
  /** The session that the event belongs to, if one config serves several; default: the config's. */
  readonly sessionId?: string | undefined;
  /** The conversation's file, if only an agent outside knows it; default: the session's. */
  readonly transcriptPath?: string | undefined;
  /** The absolute path of the folder in which the event's hooks run; default: the config's. */
  readonly cwd?: string | undefined;
  /** Set for a part of a call: the family of the dialect whose hooks receive the whole call. */
  readonly partFor?: string | undefined;
  /** The conversation so far; only built when a hook receives it. */
  readonly messages?: (() => readonly ConversationMessage[]) | undefined;
}

/** Whether the user's own agent is at work, or one that it started. */
export type InvokedBy = 'main' | 'subagent';

/** A message of the conversation, reduced to its text. */
export interface ConversationMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}
