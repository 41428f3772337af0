/** A small MCP server: notes, kept in memory. Any server in any language is guarded the same way. */
import { createInterface } from 'node:readline';

const notes = ['Call the dentist.'];

const tools = [
  {
    name: 'read_notes',
    description: 'Read all notes.',
    inputSchema: { type: 'object' },
    run: () => notes.join('\n'),
  },
  {
    name: 'write_note',
    description: 'Write one more note.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: ({ text }) => `${notes.push(text)} notes.`,
  },
];

const resultOf = ({ method, params }) => {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      serverInfo: { name: 'notes', version: '1.0.0' },
      capabilities: { tools: {} },
    };
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') return {};
  const { run } = tools.find(({ name }) => name === params.name);
  return { content: [{ type: 'text', text: run(params.arguments ?? {}) }] };
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: resultOf(request) }));
});
