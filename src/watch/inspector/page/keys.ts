import { byId } from './dom.ts';

/** Whether the reader is typing in a field, which then gets the keys. */
const isTyping = (target: Element): boolean =>
  target.matches('input:not([type=range], [type=radio]), select, textarea');

/** Sets up the actions by key name; for arrows, the name may have the prefix `Shift+`. */
export function setUpKeys(actions: Readonly<Record<string, () => void>>): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const target = event.target as Element;
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
    if (isTyping(target)) {
      if (key === 'Escape') byId('rows').focus();
      return;
    }
    // Keys that belong to a button, the divider or a scrolling area.
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
