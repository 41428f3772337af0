// Answers a known question in the model's place: no call, no cost.
import { text } from 'node:stream/consumers';

const { llm_request: request } = JSON.parse(await text(process.stdin));
const asked = request.messages.at(-1)?.content ?? '';
console.log(
  JSON.stringify(
    /house rules\?/i.test(asked)
      ? {
          decision: 'block',
          reason: 'Answered from the FAQ.',
          hookSpecificOutput: { llm_response: { text: 'One rule: note changes in CHANGELOG.md.' } },
        }
      : {},
  ),
);
