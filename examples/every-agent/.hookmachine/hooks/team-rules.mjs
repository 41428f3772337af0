/** Keeps agents from writing `.env` files and from `git push --force`: exit 2 denies, and the model reads stderr. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const { tool_name: tool, tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));

const deny = (reason) => {
  console.error(reason);
  process.exit(2);
};

const isSecret = (path) => /^\.env(?:\..+)?$/.test(basename(path));

if (tool === 'write_file' || tool === 'replace') {
  const path = input.file_path ?? input.absolute_path ?? input.path ?? '';
  if (isSecret(path)) deny(`${basename(path)} holds secrets: ask a person to change it.`);
}

if (tool === 'run_shell_command') {
  const { command } = input;
  if (/\bgit\b[^;&|\n]*\bpush\b[^;&|\n]*\s(?:--force(?![-\w])|-\w*f\b)/.test(command))
    deny('git push --force loses the work of others: push without it.');
  const written = [...command.matchAll(/(?:>[>|]?\s*|\btee\s+(?:-a\s+)?)["']?([^\s"';&|>]+)/g)];
  const secret = written.map(([, path]) => basename(path)).find(isSecret);
  if (secret) deny(`${secret} holds secrets: ask a person to change it.`);
}
