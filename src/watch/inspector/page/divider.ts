import { byId } from './dom.ts';

/** Lets the reader set the width of the timeline, with the pointer or the keyboard. */
export function setUpDivider(): void {
  const divider = byId('divider');
  const split = byId('split');
  const set = (percent: number): void => {
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
    const by = key === 'ArrowLeft' ? -2 : key === 'ArrowRight' ? 2 : 0;
    if (by !== 0) set(Number(divider.getAttribute('aria-valuenow')) + by);
  });
}
