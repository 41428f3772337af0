export const secret = 'AKIAIOSFODNN7EXAMPLE';
export const holdBack = secret.length;

/** A project whose hook on the text of answers runs `code` on each piece. */
export const editing = (
  code: string,
): { readonly files: Readonly<Record<string, string | object>> } => ({
  files: {
    '.hookmachine/settings.json': {
      hooks: {
        'model.after': [
          {
            hooks: [
              { type: 'module', name: 'editor', module: './editor.mjs', stream: { holdBack } },
            ],
          },
        ],
      },
    },
    'editor.mjs': `export default ({ stream }) => { const { text, done } = stream ?? {}; ${code} };`,
  },
});

/** Hides the secret. */
export const redacting = editing(`
  if (text === undefined) return;
  const shown = text.replaceAll(/AKIA[0-9A-Z]{16}/g, '[key]');
  const end = done ? shown.length : Math.max(0, shown.length - ${holdBack - 1});
  return { text: shown.slice(0, end), held: shown.slice(end) };`);
