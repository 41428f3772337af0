/** Settings of a project with these hooks: shell commands by hook point, which may run for a long time. */
export const settings = (hooks: Readonly<Record<string, string | readonly string[]>>) => ({
  '.hookmachine/settings.json': {
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([point, commands]) => [
        point,
        [
          {
            hooks: [commands]
              .flat()
              .map((command) => ({ type: 'command', command, timeout: 600_000 })),
          },
        ],
      ]),
    ),
  },
});
