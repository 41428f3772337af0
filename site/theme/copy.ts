/** Makes the copy button of a terminal session copy what was typed, without prompts and without what was printed. */
export function copyCommandsAlone(): void {
  addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button.copy') : null;
      const sample = button?.closest('.language-console')?.querySelector('code')?.innerText;
      if (!button || sample === undefined) return;
      event.stopImmediatePropagation();
      void navigator.clipboard.writeText(commandsIn(sample));
      button.classList.add('copied');
      setTimeout(() => button.classList.remove('copied'), 2_000);
    },
    true,
  );
}

/** The commands of a terminal session: what follows `$ `, with the lines that a `\\` continues. */
export function commandsIn(session: string): string {
  const commands: string[] = [];
  let goesOn = false;
  for (const line of session.split('\n')) {
    if (goesOn || line.startsWith('$ ')) commands.push(line.replace(/^\$ /, ''));
    goesOn = (goesOn || line.startsWith('$ ')) && line.endsWith('\\');
  }
  return `${commands.join('\n')}\n`;
}
