/** How long an extension of ours waits, in ms: hooks have their own time limits, and its agent has none. */
export const longestWait = 600_000;

/** How a file that an agent loads into its own process calls the relay; it contains no code of hookmachine. */
export const relayText = (call: string): string => `import { spawn } from 'node:child_process';

const command = ${JSON.stringify(call)};
/** Hooks have their own time limits; the agent has none. */
const longestWait = ${longestWait};

/** Asks the hooks about one event. A relay that cannot be started lets it continue, and is reported. */
const askRelay = (event, fields, cwd, warn) =>
  new Promise((resolve) => {
    const child = spawn(\`\${command} \${event}\`, {
      shell: true,
      cwd,
      timeout: longestWait,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    child.stdout.on('data', (piece) => (out += piece));
    child.stderr.on('data', (piece) => (err += piece));
    child.on('error', (error) => (err += error.message));
    child.on('close', (code, signal) => {
      const ended = \`the relay ended with \${code ?? signal}\`;
      // It exits with 2 if it has an answer and cannot write it.
      const isLost = code === 2 || code === null || code > 128;
      if (code !== 0 && !isLost) err = \`\${ended}, so \${event} continues: \${err}\`;
      if (err.trim() !== '') warn(err.trim());
      if (isLost) return resolve({ deny: \`\${ended}: \${err.trim()}\` });
      try {
        resolve(code === 0 && out.trim() !== '' ? JSON.parse(out) : {});
      } catch (error) {
        const fault = \`the relay's answer cannot be read: \${error.message}\`;
        warn(fault);
        resolve({ deny: fault });
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ cwd, ...fields }));
  });
`;

/** What the fields are called that extensions of ours give the relay. */
export const extensionNames = {
  event: 'event',
  session: 'session_id',
  folder: 'cwd',
  call: 'tool_call_id',
  prompt: 'prompt',
  said: 'response',
  response: 'output',
} as const;
