import { byId } from './dom.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const key = 'hookmachine-theme';

/** A report that is shown in a sandbox has no storage. */
function kept(use) {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Light or dark as the system has it, until the reader says otherwise. */
export function setUpTheme(changed) {
  const button = byId('theme');
  let chosen = kept(() => sessionStorage.getItem(key));
  const apply = () => {
    const theme = chosen ?? (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = theme;
    const other = theme === 'dark' ? 'light' : 'dark';
    button.textContent = theme === 'dark' ? '☾ Dark' : '☀ Light';
    button.setAttribute('aria-label', `Show it ${other}`);
    changed();
    return other;
  };
  const toggle = () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    kept(() => sessionStorage.setItem(key, chosen));
    apply();
  };
  dark.addEventListener('change', apply);
  button.addEventListener('click', toggle);
  apply();
  return toggle;
}
