/**
 * Makes an element. Text is never read as markup: what is shown may come from strangers.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties] `class`, `data`, `on…`, ARIA and other attributes
 * @param {...(Node | string | undefined | false)} children
 * @returns {HTMLElement}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith('aria-')) {
      element.setAttribute(name, value);
      continue;
    }
    if (value === false) continue;
    if (name === 'data') Object.assign(element.dataset, value);
    else if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/**
 * The page's own element of this id.
 *
 * @param {string} id
 */
export const byId = (id) => document.getElementById(id);

/**
 * Calls back once before the next frame, however often it is asked to.
 *
 * @param {() => void} draw
 */
export function onFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
