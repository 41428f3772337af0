/**
 * Listens to the journal: what was first, then what comes. The browser connects again by itself, and
 * goes on after the last entry it has.
 *
 * @param {{
 *   about(about: object): void,
 *   entries(entries: object[], last: number): void,
 *   skipped(count: number): void,
 *   lost(isForGood: boolean): void,
 * }} page
 */
export function listen(page) {
  const source = new EventSource('journal');
  let failures = 0;
  let isOver = false;
  source.addEventListener('about', ({ data }) => {
    failures = 0;
    const about = JSON.parse(data);
    page.about(about);
    isOver = about.ended;
    if (isOver) source.close();
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    page.entries(JSON.parse(data), Number(lastEventId));
  });
  source.addEventListener('skipped', ({ data }) => page.skipped(Number(data)));
  source.addEventListener('error', () => {
    if (isOver) return;
    if (++failures > 3) source.close();
    page.lost(source.readyState === EventSource.CLOSED);
  });
}
