// Draws a series as an SVG: both axes logarithmic, one line for each name. The colours follow the scheme of the page,
// and the background is drawn too, so that a viewer without schemes can read it.

const WIDTH = 760;
const ROW = 18;
const LEFT = 66;
const RIGHT = 250;
const TOP = 44;
const PLOT_HEIGHT = 270;
const BOTTOM = 46;

/** Okabe and Ito's colours, which can be told apart without red or green, darker in light and lighter in dark. */
const COLOURS = [
  ['#0063a0', '#56b4e9'],
  ['#a84300', '#f08a4b'],
  ['#00734f', '#2fc79a'],
  ['#99447c', '#e39dc6'],
  ['#806600', '#e6c229'],
  ['#444a54', '#b9c0cc'],
];
const DASHES = ['', '7 4', '2 3'];

const style = `
.ground { fill: #ffffff; } text { fill: #2b2f36; font: 12px system-ui, sans-serif; } .title { font-size: 14px; font-weight: 600; }
.grid { stroke: #d5d8dd; } ${COLOURS.map(([light], index) => `.c${index} { stroke: ${light}; }`).join(' ')}
@media (prefers-color-scheme: dark) {
.ground { fill: #1b1b1f; } text { fill: #dfdfd6; }
.grid { stroke: #3c3f44; } ${COLOURS.map(([, dark], index) => `.c${index} { stroke: ${dark}; }`).join(' ')}
}`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The powers of ten that enclose the values. */
function decades(values) {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.ceil(Math.log10(Math.max(...values)));
  return { from, to: to === from ? from + 1 : to };
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function powerOfTen(exponent) {
  if (Math.abs(exponent) <= 3) return String(10 ** exponent);
  return `10${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit] ?? '⁻').join('')}`;
}

/**
 * @param series `{ title, x, unit, linear, lines: [{ name, points: [[x, y], …] }] }`; `linear`: the horizontal axis is
 */
export function plotSvg({ title, x, unit, linear = false, lines }) {
  const points = lines.flatMap((line) => line.points).filter(([, y]) => y > 0);
  const [xs, ys] = [points.map(([value]) => value), points.map(([, value]) => value)];
  const vertical = decades(ys);
  const horizontal = linear ? { from: Math.min(...xs) - 0.5, to: Math.max(...xs) + 0.5 } : decades(xs);
  const plotWidth = WIDTH - LEFT - RIGHT;
  const height = TOP + Math.max(PLOT_HEIGHT, lines.length * ROW) + BOTTOM;
  const place = (value, { from, to }) => (value - from) / (to - from);
  const left = (value) => LEFT + place(linear ? value : Math.log10(value), horizontal) * plotWidth;
  const top = (value) => TOP + (1 - place(Math.log10(value), vertical)) * PLOT_HEIGHT;
  const parts = [];
  for (let exponent = vertical.from; exponent <= vertical.to; exponent += 1) {
    const y = top(10 ** exponent).toFixed(1);
    parts.push(`<path class="grid" d="M${LEFT} ${y}H${LEFT + plotWidth}"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${y}" dy="4" text-anchor="end">${powerOfTen(exponent)}</text>`);
  }
  for (const value of linear ? [...new Set(xs)] : exponents(horizontal).map((exponent) => 10 ** exponent)) {
    const at = left(value).toFixed(1);
    const label = linear ? String(value) : powerOfTen(Math.round(Math.log10(value)));
    parts.push(`<path class="grid" d="M${at} ${TOP}V${TOP + PLOT_HEIGHT}"/>`);
    parts.push(`<text x="${at}" y="${TOP + PLOT_HEIGHT + 18}" text-anchor="middle">${label}</text>`);
  }
  for (const [index, line] of lines.entries()) {
    const looks = `class="c${index % COLOURS.length}" fill="none" stroke-width="2" stroke-dasharray="${DASHES[Math.floor(index / COLOURS.length)] ?? ''}"`;
    const path = line.points.filter(([, y]) => y > 0).map(([at, y]) => `${left(at).toFixed(1)} ${top(y).toFixed(1)}`);
    parts.push(`<path ${looks} stroke-linejoin="round" d="M${path.join('L')}"/>`);
    for (const spot of path)
      parts.push(
        `<path ${looks.replace(/ stroke-dash.*/, '')} stroke-linecap="round" d="M${spot}h.01" style="stroke-width:6"/>`,
      );
    const row = TOP + 8 + index * ROW;
    parts.push(`<path ${looks} d="M${LEFT + plotWidth + 16} ${row}h24"/>`);
    parts.push(`<text x="${LEFT + plotWidth + 46}" y="${row}" dy="4">${escaped(line.name)}</text>`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escaped(title)}</title><style>${style}</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="16" y="26">${escaped(title)}, ${escaped(unit)}</text>
<text x="${LEFT + plotWidth / 2}" y="${TOP + PLOT_HEIGHT + 36}" text-anchor="middle">${escaped(x)}</text>
${parts.join('\n')}
</svg>
`;
}

const exponents = ({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
