/** What a report has in it, of one kind. */
const blocksOf = (kind) => [...document.querySelectorAll(`script[data-report="${kind}"]`)];

/**
 * Takes the journal out of the page itself if it is a report, and else listens to it.
 *
 * @param {Parameters<typeof listen>[0]} page
 */
export function follow(page) {
  const [about] = blocksOf('about');
  if (about) void readReport(page, JSON.parse(about.textContent));
  else listen(page);
}

/** Hands over one block after the other, so that the page shows how far it is. */
async function readReport(page, about) {
  page.about({ ...about, ended: false });
  if (about.first > 1) page.skipped(about.first - 1);
  for (const block of blocksOf('entries')) {
    const { entries, last } = JSON.parse(block.textContent);
    block.remove();
    page.entries(entries, last);
    await new Promise((resolve) => void setTimeout(resolve));
  }
  page.about(about);
}

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
function listen(page) {
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
