// Blocks writing anything that looks like a secret.
import { text } from 'node:stream/consumers';

const { tool_input: input } = JSON.parse(await text(process.stdin));
const written = input.content ?? input.new_string ?? '';
const kinds = {
  'an AWS access key': /\bAKIA[0-9A-Z]{16}\b/,
  'a GitHub token': /\bgh[pousr]_[A-Za-z0-9]{36,}\b/,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
};
const found = Object.keys(kinds).find((kind) => kinds[kind].test(written));
console.log(
  JSON.stringify(
    found
      ? {
          decision: 'block',
          reason: `${input.file_path} would hold ${found}. Read it from the environment instead.`,
        }
      : {},
  ),
);
