import { byId } from './dom.ts';
import { kept } from './kept.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const key = 'hookmachine-theme';

/**
 * Follows the system's light or dark theme until the reader chooses one. Returns a function that switches it.
 */
export function setUpTheme(changed: () => void): () => void {
  const button = byId('theme');
  let chosen = kept(() => sessionStorage.getItem(key));
  const apply = (): void => {
    const theme = chosen ?? (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset['theme'] = theme;
    button.textContent = theme === 'dark' ? '☾ Dark' : '☀ Light';
    button.setAttribute('aria-label', `${theme}: show it ${theme === 'dark' ? 'light' : 'dark'}`);
    changed();
  };
  const toggle = (): void => {
    const theme = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
    chosen = theme;
    kept(() => sessionStorage.setItem(key, theme));
    apply();
  };
  dark.addEventListener('change', apply);
  button.addEventListener('click', toggle);
  apply();
  return toggle;
}
