/** An example guard in a language. */
export interface ExampleGuard {
  /** The file's name, in the folder of hooks. */
  readonly file: string;
  readonly text: string;
  /** Whether the file is run directly. */
  readonly isProgram?: true;
  /** Returns the settings' entry that runs the guard, from the file's path in the project. */
  readonly entry: (path: string) => Readonly<Record<string, string>>;
}

const module = (path: string) => ({ type: 'module', module: path });
const command = (line: string) => ({ type: 'command', command: line });

const reason = 'Secrets stay out of .env files.';

/** The guard of the README: it keeps agents from writing `.env` files. */
export const exampleGuards = {
  sh: {
    file: 'no-env.sh',
    isProgram: true,
    text: `#!/bin/sh
# Reads the event on stdin. Exit status 2 blocks the call, and stderr says why; 0 lets it continue.
if grep -Eq '"file_path": ?"([^"]*/)?\\.env"'; then
  echo "${reason}" >&2
  exit 2
fi
`,
    entry: command,
  },
  python: {
    file: 'no-env.py',
    text: `# Reads the event on stdin. What it prints decides; printing nothing lets the call continue.
import json
import os
import sys

event = json.load(sys.stdin)
if os.path.basename(event["tool_input"].get("file_path", "")) == ".env":
    print(json.dumps({"decision": "deny", "reason": "${reason}"}))
`,
    entry: (path) => command(`python3 ${path}`),
  },
  node: {
    file: 'no-env.mjs',
    text: `// Gets the event. What it returns decides; returning nothing lets the call continue.
export default function noEnv({ tool_input: { file_path: path = '' } }) {
  if (/(?:^|\\/)\\.env$/.test(path)) return { decision: 'deny', reason: '${reason}' };
}
`,
    entry: module,
  },
  typescript: {
    file: 'no-env.mts',
    text: `/** What this hook uses of the event; hookmachine/hook has the whole type. */
interface ToolEvent {
  readonly tool_name: string;
  readonly tool_input: { readonly file_path?: string };
}

// What it returns decides; returning nothing lets the call continue.
export default function noEnv({ tool_input: { file_path: path = '' } }: ToolEvent) {
  return /(?:^|\\/)\\.env$/.test(path)
    ? { decision: 'deny', reason: '${reason}' }
    : undefined;
}
`,
    entry: module,
  },
} as const satisfies Readonly<Record<string, ExampleGuard>>;

/** A language that an example guard can be written in. */
export type GuardLanguage = keyof typeof exampleGuards;

/** The languages; the first is the default. */
export const guardLanguages = Object.keys(exampleGuards) as readonly GuardLanguage[];

/** The guard's tests, for "hookmachine test": they run the hook as the settings configure it. */
export const exampleTests = `# Run by: hookmachine test
tests:
  - name: a .env file is not written
    event: BeforeTool
    input: { tool_name: write_file, tool_input: { file_path: .env, content: KEY=1 } }
    expect: { decision: deny, reason: Secrets stay out }
  - name: other files are
    event: BeforeTool
    input: { tool_name: write_file, tool_input: { file_path: notes.txt, content: hello } }
    expect: { decision: allow }
`;
