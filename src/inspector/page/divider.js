import { byId } from './dom.js';

/** Lets the reader choose how wide the timeline is, by pointer or by key. */
export function setUpDivider() {
  const divider = byId('divider');
  const split = byId('split');
  const set = (percent) => {
    const share = Math.min(75, Math.max(25, percent));
    split.style.setProperty('--timeline', `${share}%`);
    divider.setAttribute('aria-valuenow', String(Math.round(share)));
  };
  divider.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    divider.setPointerCapture(event.pointerId);
  });
  divider.addEventListener('pointermove', (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const { left, width } = split.getBoundingClientRect();
    set(((event.clientX - left) / width) * 100);
  });
  divider.addEventListener('keydown', ({ key }) => {
    const by = { ArrowLeft: -2, ArrowRight: 2 }[key];
    if (by) set(Number(divider.getAttribute('aria-valuenow')) + by);
  });
}
