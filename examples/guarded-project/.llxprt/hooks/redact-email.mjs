// Takes e-mail addresses out of what the model says, before anybody sees it.
import { text } from 'node:stream/consumers';

const { llm_response: response } = JSON.parse(await text(process.stdin));
const clean = response.text?.replaceAll(/[\w.+-]+@[\w-]+\.[\w.-]+\w/g, '[EMAIL REDACTED]');
console.log(
  JSON.stringify(
    clean === response.text ? {} : { hookSpecificOutput: { llm_response: { text: clean } } },
  ),
);
