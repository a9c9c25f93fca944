// `pnpm run bench PRF-11 [--quick] [--part=audit-log,stores,administration,nodes,sign-ins] [--sizes=10000,100000]
// [--to=10000000] [--keep]`: cost by size, `--to` with one size more. Each part fills a store, measures at each size,
// and prints its tables. With `--keep` the results, their plots and the tables of docs/capacity.md are written to the
// repository; without it, nothing is.
import { cpus, loadavg, totalmem } from 'node:os';
import { keepPart } from './growth/kept-results.mjs';
import { parts } from './growth/parts.mjs';
import { tableOf } from './growth/tables.mjs';

const optionOf = (name) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const isQuick = process.argv.includes('--quick');
const isKept = process.argv.includes('--keep');
const to = optionOf('to') === undefined ? null : Number(optionOf('to'));
const given = optionOf('sizes')?.split(',').map(Number);
const asked = optionOf('part')?.split(',') ?? Object.keys(parts);
const unknown = asked.filter((name) => parts[name] === undefined);
if (unknown.length > 0) throw new Error(`--part: ${unknown.join(', ')}: known are ${Object.keys(parts).join(', ')}`);

const say = (line) => process.stdout.write(`  ${line}\n`);

for (const name of asked) {
  const { what, sizes, quick, measure, series } = parts[name];
  process.stdout.write(`\n${name}: ${what}\n`);
  const began = performance.now();
  const before = loadavg()[0];
  const chosen = given ?? (isQuick ? quick : sizes.concat(to !== null && to > Math.max(...sizes) ? [to] : []));
  const measured = await measure({ sizes: chosen, say, isQuick });
  const result = {
    part: name,
    what,
    measuredAt: new Date().toISOString(),
    machine: { cpu: cpus()[0].model, cores: cpus().length, gigabytes: Math.round(totalmem() / 1024 ** 3) },
    node: process.versions.node,
    // The processes that wanted a core in the last minute, of the measurement and its neighbours, at begin and end.
    load: [before, loadavg()[0]].map((load) => Math.round(load * 10) / 10),
    seconds: Math.round((performance.now() - began) / 1000),
    series: Object.entries(series)
      .filter(([id]) => measured[id] !== undefined)
      .map(([id, about]) => ({
        id,
        ...about,
        lines: Object.entries(measured[id]).map(([line, points]) => ({ name: line, points: points.map(rounded) })),
      })),
  };
  for (const one of result.series) process.stdout.write(`\n${one.title}, ${one.unit}\n\n${tableOf(one)}\n`);
  if (isKept) await keepPart(result);
}

function rounded([size, value]) {
  return [size, Number(value.toPrecision(3))];
}
