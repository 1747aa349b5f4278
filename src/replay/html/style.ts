import { raw } from "./markup.ts";

/** The page's one style sheet: light and dark by the reader's setting, nothing from the network. */
export const STYLE = raw(`
:root {
  color-scheme: light dark;
  --bg: #ffffff; --panel: #f6f7f9; --text: #1b1f24; --muted: #5b6470; --line: #d9dee5; --track: #e8ebf0;
  --green: #e6f3e8; --yellow: #fbf3d3; --orange: #fbe3cf; --red: #f8d3d0; --edge: #7a2d22;
  --s0: #1663c7; --s1: #c2410c; --s2: #0f7f5f; --s3: #9333b8; --s4: #8a6d00;
  --s5: #0a7f99; --s6: #be2a5c; --s7: #4f6f12; --s8: #6b5bd0; --s9: #5f6772;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #14171b; --panel: #1c2026; --text: #e6e9ed; --muted: #9aa4b0; --line: #333a43; --track: #2a3038;
    --green: #17291c; --yellow: #2f2a14; --orange: #3a2614; --red: #421c1a; --edge: #f0a79c;
    --s0: #6aa9ff; --s1: #ff9a5c; --s2: #4fd0a5; --s3: #d38cf0; --s4: #e0bd3f;
    --s5: #55c8e0; --s6: #ff7ea6; --s7: #a9cf5c; --s8: #a99bff; --s9: #a3adb8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 40px 0 8px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 14px; margin: 24px 0 6px; }
p { margin: 6px 0; max-width: 92ch; }
a { color: var(--s0); }
.faint, small { color: var(--muted); }
.lede { font-size: 15px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 8px 28px; align-items: start; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: 4px 12px 4px 0; text-align: right; vertical-align: top; white-space: nowrap; font-weight: 400; border-bottom: 1px solid var(--line); }
thead th { color: var(--muted); font-size: 12px; vertical-align: bottom; white-space: normal; }
.bars thead th { max-width: 22ch; overflow-wrap: anywhere; }
th:first-child { text-align: left; }
tbody th { font-weight: 500; }
td small, th small { display: block; font-size: 11px; line-height: 1.3; font-weight: 400; }
.figures { width: 100%; }
.bars th, .bars td { text-align: left; }
.bars td span { padding-left: 7px; }
.bar { vertical-align: -1px; }
.track { fill: var(--track); }
.key { vertical-align: -2px; margin-right: 5px; }
.plot { display: block; width: 100%; height: auto; }
.plot text { fill: var(--muted); font: 11px system-ui, sans-serif; }
.plot .name { fill: var(--text); font-size: 12px; paint-order: stroke; stroke: var(--bg); stroke-width: 3px; }
.plot .title { font-size: 11px; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--line); stroke-width: 1; }
.unmanaged { stroke: var(--muted); stroke-dasharray: 4 3; }
.lead { stroke: var(--muted); stroke-width: 0.8; }
.mark { stroke: var(--bg); stroke-width: 1.2; }
.whisker line { stroke-width: 1.2; opacity: 0.5; }
.line { fill: none !important; stroke-width: 1.6; stroke-linejoin: round; }
.window { stroke: var(--muted); stroke-dasharray: 4 3; }
.break { stroke: var(--edge); stroke-width: 1.4; }
.zone.green { fill: var(--green); } .zone.yellow { fill: var(--yellow); } .zone.orange { fill: var(--orange); } .zone.red { fill: var(--red); }
figure { margin: 10px 0 14px; min-width: 0; }
figcaption { margin-bottom: 4px; overflow-wrap: anywhere; }
figcaption .faint { display: block; font-size: 12px; }
.id { color: var(--muted); font-size: 12px; }
${Array.from({ length: 10 }, (_, n) => `.s${n} { fill: var(--s${n}); stroke: var(--s${n}); }`).join("\n")}
.mark[class] { stroke: var(--bg); }
rect[class^="s"] { stroke: none; }
@media print { main { max-width: none; } h2 { break-before: page; } figure, table { break-inside: avoid; } }
`);
