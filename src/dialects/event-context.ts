/** What the caller knows of an event beside its fields; dialects differ in what they tell their hooks of it. */
export interface EventContext {
  /** Default `main`. */
  readonly invokedBy?: InvokedBy | undefined;
  /** The model's id for the tool call that the event is about. */
  readonly toolCallId?: string | undefined;
  /** The conversation's file, where only an agent outside knows it; default: the session's. */
  readonly transcriptPath?: string | undefined;
  /** The conversation so far; only made when a hook is told of it. */
  readonly messages?: (() => readonly ConversationMessage[]) | undefined;
}

/** Whether the user's own agent works, or one that it started. */
export type InvokedBy = 'main' | 'subagent';

/** A message of the conversation, its texts alone. */
export interface ConversationMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}
