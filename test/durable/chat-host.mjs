/*
 * A host of an agent in a process of its own: it begins a turn, or goes on with one of the history that it is
 * given, and prints what happens as lines of JSON, the history last.
 */
import { createConfig } from 'hookmachine';
import { builtInTools, ChatLoop } from 'hookmachine/agent';
import { connectDurable } from 'hookmachine/durable';
import { modelFromTurns } from 'hookmachine/models';

const { prompt, history, turns, meanwhile } = JSON.parse(process.argv[2]);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const config = createConfig({
  cwd: process.cwd(),
  systemFolder: '/proc/nothing',
  onWarning: () => undefined,
});
const tools = builtInTools();
const durable = await connectDurable({
  database: process.env.HOOKMACHINE_DATABASE_URL,
  config,
  tools,
  workspace: 'w',
});
const scripted = modelFromTurns(turns);
const model = {
  name: scripted.name,
  generate(request, options) {
    say({ asked: request.contents });
    return scripted.generate(request, options);
  },
};
const chat = new ChatLoop({ config, model, tools, durable, ...(history && { history }) });
const stop = new AbortController();
const events = prompt === undefined ? chat.resume() : chat.run(prompt, { signal: stop.signal });
for await (const event of events) {
  say({ event });
  if (meanwhile === 'cancel' && event.type === 'toolResult') stop.abort('enough');
}
if (chat.isSuspended) {
  try {
    chat.run('What now?');
  } catch ({ code }) {
    say({ refused: code });
  }
}
if (meanwhile === 'clear') await chat.clear();
say({ history: chat.history });
await durable.close();
