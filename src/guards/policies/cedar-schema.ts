/** What Cedar policies can speak about, in Cedar's own notation: `hookmachine schema --cedar` prints it. */
export const cedarSchema = `// What policies of hookmachine can speak about.

// Who acts: an agent, for a user. "name" is the agent's ("claude-code"), "subagent" the type of a subagent.
entity User;
entity Agent in [User] = {
  "name": String,
  "user": String,
  "session": String,
  "subagent"?: String,
};

// What it acts on.
entity Server;
// A tool call. The tags are its arguments: resource.getTag("branch"). "arguments" is their JSON.
entity Tool in [Server] = {
  "name": String,
  "server"?: String,
  "arguments": String,
} tags String;
// A program that a command would start; "text" is the whole simple command.
entity Command = {
  "program": String,
  "arguments": Set<String>,
  "text": String,
  "folder": String,
  "where": String,
};
// Code that would run and that cannot be understood, and parts of a command that cannot be understood.
entity Code = { "language": String, "text": String, "where": String };
entity Folder in [Folder] = { "path": String };
// "path" is relative to the project if "inProject"; a folder is a File here, too. One that is deleted, moved or changed
// as a whole is also in the folders below it.
entity File in [Folder] = {
  "path": String,
  "name": String,
  "inProject": Bool,
  "isSecret": Bool,
  "where": String,
};
// Another machine. "text" is what would be sent, as far as it is known.
entity Address = { "host": String, "text": String, "sendsSecret": Bool };
entity Database = { "language": String, "program": String, "text": String };
entity Prompt = { "text": String };
entity Model = { "name": String };
entity Session = { "id": String };

type Context = {
  // The hook point and the event: "tool.before", "BeforeTool".
  "point": String,
  "event": String,
  "tool"?: String,
  // What the session has read: "secret", "untrusted", "personal".
  "labels": Set<String>,
  // The agent's permission mode, where it has one.
  "mode"?: String,
  "now": datetime,
  // By the local clock: 0 to 23, and "Monday".
  "hour": Long,
  "weekday": String,
  // Tokens that the session has used, as far as they were counted.
  "tokens": Long,
};

action "tool.before", "tool.after", "other";
action "call_tool" in ["tool.before"] appliesTo { principal: Agent, resource: Tool, context: Context };
action "run" in ["tool.before"] appliesTo { principal: Agent, resource: Command, context: Context };
action "run_code" in ["tool.before"] appliesTo { principal: Agent, resource: Code, context: Context };
action "read", "write", "delete" in ["tool.before"] appliesTo { principal: Agent, resource: File, context: Context };
action "send" in ["tool.before"] appliesTo { principal: Agent, resource: Address, context: Context };
action "query" in ["tool.before"] appliesTo { principal: Agent, resource: Database, context: Context };
action "tool_result" in ["tool.after"] appliesTo { principal: Agent, resource: Tool, context: Context };
action "prompt" in ["other"] appliesTo { principal: Agent, resource: Prompt, context: Context };
action "call_model" in ["other"] appliesTo { principal: Agent, resource: Model, context: Context };
action "event" in ["other"] appliesTo { principal: Agent, resource: Session, context: Context };
`;
