import { byId } from './dom.ts';

/** Keys that are the field's own while one types. */
const isTyping = (target: Element): boolean =>
  target.matches('input:not([type=range], [type=radio]), select, textarea');

/** What each key does, by its name, with `Shift+` before that of an arrow. */
export function setUpKeys(actions: Readonly<Record<string, () => void>>): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const target = event.target as Element;
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
    if (isTyping(target)) {
      if (key === 'Escape') byId('rows').focus();
      return;
    }
    // A button's own keys, and the divider's.
    if (key === ' ' && target.matches('button, summary, [type=radio]')) return;
    if (key.startsWith('Arrow') && target.matches('#divider, [type=radio]')) return;
    if (target.matches('pre, .facts, .diagram') && /^(?:Arrow(?:Up|Down)|Page|Home|End)/.test(key))
      return;
    const action = actions[shiftKey && key.startsWith('Arrow') ? `Shift+${key}` : key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
