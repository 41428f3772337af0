import { fontSizes } from './caption.ts';

/** The colours of a drawing, on a light page and on a dark one. */
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
  },
} as const;

const shapes = `
.statechart { font-family: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; }
.statechart .box, .statechart .edge, .statechart .start, .statechart .ring { stroke-width: 1.4; }
.statechart .edge, .statechart .start, .statechart .rim { fill: none; }
.statechart .name { font-size: ${fontSizes.name}px; font-weight: 600; }
.statechart .about { font-size: ${fontSizes.about}px; }
.statechart .actor { font-size: ${fontSizes.actor}px; }
.statechart .heed { font-size: ${fontSizes.heed}px; }
.statechart .label text { font-size: ${fontSizes.label}px; text-anchor: middle; }
`;

// Written out for each theme, because not every program that shows an SVG knows `var()`.
const coloursOf = (theme: Record<keyof typeof themes.light, string>): string => `
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
`;

/** Every rule names the drawing, since a page that holds the SVG shares its styles. */
export const style = `${shapes}${coloursOf(themes.light)}@media (prefers-color-scheme: dark) {${coloursOf(themes.dark)}}
`;
