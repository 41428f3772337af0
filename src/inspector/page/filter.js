/** What a row is looked for by. */
const textOf = (row) => {
  const texts = [];
  const walk = (run) => {
    texts.push(run.name, run.callId, run.ended?.reason, run.answer?.reason, run.answer?.error);
    texts.push(...(run.answer?.sets ?? []), run.answer?.stopReason);
    texts.push(run.verdict?.reason, run.verdict?.stopReason);
    for (const hook of run.plan?.hooks ?? [])
      texts.push(hook.name, hook.command, hook.source, hook.dialect);
    if (run.payload !== undefined) texts.push(JSON.stringify(run.payload)?.slice(0, 2_000));
    for (const child of run.children) if (child.row === row) walk(child);
  };
  walk(row);
  return texts.filter(Boolean).join('\n').toLowerCase();
};

/** Which calls are wanted: by words, hook event, tool and decision. */
export class Filter {
  text = '';
  event = '';
  tool = '';
  decision = '';
  #found = new WeakMap();

  get isOn() {
    return [this.text, this.event, this.tool, this.decision].some((wanted) => wanted !== '');
  }

  /** @param {Partial<Pick<Filter, 'text' | 'event' | 'tool' | 'decision'>>} wanted */
  set(wanted) {
    Object.assign(this, wanted);
    this.#found = new WeakMap();
  }

  /** Whether a row is wanted; asked again only when something was reported of it since. */
  takes(row) {
    const found = this.#found.get(row);
    if (found?.version === row.version) return found.isTaken;
    const isTaken = this.#looksAt(row);
    this.#found.set(row, { version: row.version, isTaken });
    return isTaken;
  }

  /** The wanted rows, each under its session and its turn. */
  rowsOf(rows) {
    if (!this.isOn) return rows;
    const taken = [];
    let above = [];
    for (const row of rows) {
      if (row.machine === 'session' || row.machine === 'agentTurn') {
        above = above.filter(({ level }) => level < row.level);
        above.push(row);
      } else if (this.takes(row)) {
        taken.push(...above, row);
        above = [];
      }
    }
    return taken;
  }

  #looksAt(row) {
    if (this.event !== '' && !row.events.has(this.event)) return false;
    if (this.tool !== '' && !(row.machine === 'toolCall' && row.name === this.tool)) return false;
    if (this.decision !== '' && !row.decisions.has(this.decision)) return false;
    if (this.text === '') return true;
    const text = textOf(row);
    return this.text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }
}
