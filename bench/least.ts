import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/**
 * Does what any process must do that runs hooks for others, and nothing else: reads an event from its socket,
 * has this command read it, and sends back what that wrote.
 */
const [socket, command] = process.argv.slice(2);
createServer({ allowHalfOpen: true }, (client) => {
  if (command) {
    const { stdin, stdout } = spawn('bash', ['-c', command], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    client.pipe(stdin);
    stdout.pipe(client);
  } else client.resume().on('end', () => client.end('{}\n'));
}).listen(socket);
