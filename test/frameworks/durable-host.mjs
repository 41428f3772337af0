/** Connects to the database of the environment, does what it is told, and prints what came of it. */
export async function runHost({ createConfig, connectDurable }, work) {
  const durable = await connectDurable({
    database: process.env.HOOKMACHINE_DATABASE_URL,
    config: createConfig({
      cwd: process.cwd(),
      systemFolder: '/proc/nothing',
      onWarning: () => undefined,
    }),
    workspace: 'w',
  });
  const said = await work(durable, JSON.parse(process.argv[2]));
  await durable.close();
  process.stdout.write(JSON.stringify(said));
}
