import { fontSizes } from './caption.ts';
import type { Ending } from './meaning.ts';

/** The colours of a drawing, for a light page and a dark one. */
export const themes = {
  light: {
    ground: '#f8fafc',
    frame: '#cbd5e1',
    paper: '#ffffff',
    rim: '#47546b',
    fold: '#7f8ca6',
    ink: '#1b2333',
    words: '#333e52',
    hush: '#5a667c',
    line: '#6b7890',
    chip: '#e4edff',
    chipRim: '#b9cdf7',
    chipInk: '#27509b',
    usual: '#2c3a55',
    well: '#2f8f6b',
    wellSoft: '#e0f3ea',
    denied: '#cf2f46',
    deniedSoft: '#fce6e9',
    stopped: '#7a869a',
    stoppedSoft: '#e9edf3',
    failed: '#c2541c',
    failedSoft: '#fce8dc',
  },
  dark: {
    ground: '#111926',
    frame: '#313d52',
    paper: '#1c2737',
    rim: '#93a2bd',
    fold: '#65748f',
    ink: '#eaeff7',
    words: '#ccd5e4',
    hush: '#a3b0c6',
    line: '#8592ac',
    chip: '#1e3763',
    chipRim: '#3a5c9c',
    chipInk: '#b3cdff',
    usual: '#d3dcec',
    well: '#56c597',
    wellSoft: '#17392f',
    denied: '#ff7386',
    deniedSoft: '#46202b',
    stopped: '#8b98ad',
    stoppedSoft: '#273246',
    failed: '#f59362',
    failedSoft: '#43281b',
  },
} as const;

type Theme = Readonly<Record<keyof typeof themes.light, string>>;

const shapes = `
.statechart { font-family: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; }
.statechart .box, .statechart .edge, .statechart .start, .statechart .ring { stroke-width: 1.4; }
.statechart .edge, .statechart .start, .statechart .rim { fill: none; }
.statechart .edge.usual { stroke-width: 3.2; }
.statechart .name { font-size: ${fontSizes.name}px; font-weight: 600; }
.statechart .about { font-size: ${fontSizes.about}px; }
.statechart .actor { font-size: ${fontSizes.actor}px; }
.statechart .heed { font-size: ${fontSizes.heed}px; }
.statechart .label text { font-size: ${fontSizes.label}px; text-anchor: middle; }
`;

// Written out for each theme, because not every program that shows an SVG supports `var()`.
const coloursOf = (theme: Theme): string => `
.statechart .box { fill: ${theme.paper}; stroke: ${theme.rim}; }
.statechart .machine > .box { fill: ${theme.ground}; stroke: ${theme.frame}; }
.statechart .compound > .box { fill: ${theme.ground}; stroke: ${theme.fold}; }
.statechart .rim { stroke: ${theme.rim}; }
.statechart .name { fill: ${theme.ink}; }
.statechart .about, .statechart .heed { fill: ${theme.hush}; }
.statechart .chip { fill: ${theme.chip}; stroke: ${theme.chipRim}; }
.statechart .actor { fill: ${theme.chipInk}; }
.statechart .edge, .statechart .start { stroke: ${theme.line}; }
.statechart .head { fill: ${theme.line}; }
.statechart .dot { fill: ${theme.ink}; }
.statechart .ring { fill: ${theme.paper}; stroke: ${theme.line}; }
.statechart .label rect { fill: ${theme.ground}; }
.statechart .label text { fill: ${theme.words}; }
.statechart .edge.usual { stroke: ${theme.usual}; }
.statechart .head.usual { fill: ${theme.usual}; }
.statechart .label.usual text { fill: ${theme.ink}; }
${endings.map((ending) => endingColours(ending, theme)).join('')}`;

const endings = ['well', 'denied', 'stopped', 'failed'] as const satisfies readonly Ending[];

const endingColours = (ending: Ending, theme: Theme): string => `\
.statechart .ends-${ending} > .box { fill: ${theme[`${ending}Soft`]}; stroke: ${theme[ending]}; }
.statechart .ends-${ending} > .rim, .statechart .edge.ends-${ending} { stroke: ${theme[ending]}; }
.statechart .head.ends-${ending} { fill: ${theme[ending]}; }
`;

/** Every rule is limited to the drawing, because a page that contains the SVG shares its styles. */
export const style = `${shapes}${coloursOf(themes.light)}@media (prefers-color-scheme: dark) {${coloursOf(themes.dark)}}
`;
