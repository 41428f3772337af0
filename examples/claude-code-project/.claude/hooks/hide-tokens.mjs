// Keeps tokens in what a command prints from the model.
import { text } from 'node:stream/consumers';

const { tool_response } = JSON.parse(await text(process.stdin));
const stdout = tool_response.stdout.replaceAll(/ghp_\w+/g, '[hidden]');
if (stdout !== tool_response.stdout)
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        updatedToolOutput: { ...tool_response, stdout },
      },
    }),
  );
