import { byId } from './dom.js';

/** Keys that are the field's own while one types. */
const isTyping = (target) =>
  target.matches('input:not([type=range], [type=radio]), select, textarea');

/**
 * What each key does.
 *
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key, `Shift+` before it
 */
export function setUpKeys(actions) {
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
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
    action(event);
  });
}
