// One file, and so one process with one browser: that each worker starts one takes half a minute of processor time.
import './live.page.ts';
import './many.page.ts';
import './replay.page.ts';
import './report.page.ts';
import './story.page.ts';
