/** What the caller knows of an event beside its fields; dialects differ in what they tell their hooks of it. */
export interface EventContext {
  /** Default `main`. */
  readonly invokedBy?: InvokedBy | undefined;
  /** What the agent works by, in hosts where a run can follow a recipe. */
  readonly recipeName?: string | undefined;
  /** The model's id for the tool call that the event is about. */
  readonly toolCallId?: string | undefined;
  /** How long the tool ran, in ms; asked once it has. */
  readonly toolDuration?: (() => number | undefined) | undefined;
  /** The session that the event belongs to, where one config serves several; default: the config's. */
  readonly sessionId?: string | undefined;
  /** The conversation's file, where only an agent outside knows it; default: the session's. */
  readonly transcriptPath?: string | undefined;
  /** Where the hooks of the event run, absolute; default: the config's. */
  readonly cwd?: string | undefined;
  /** The family of a dialect whose hooks receive the whole call, of which this is a part. */
  readonly partFor?: string | undefined;
  /** The conversation so far; only made when a hook receives it. */
  readonly messages?: (() => readonly ConversationMessage[]) | undefined;
}

/** Whether the user's own agent works, or one that it started. */
export type InvokedBy = 'main' | 'subagent';

/** A message of the conversation, its texts alone. */
export interface ConversationMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}
