// `pnpm bench:envelope [--quick] [--only=operations,pipeline,event-loop]`: compares the envelope's cryptography with
// every peer, and encrypted requests through the packages alone and through the reference server with bare Fastify, and
// measures how long an envelope blocks the event loop. Every ratio comes from one run, in which all take turns on the
// same machine. A whole run is kept in `results/node-<major>.json`, the source of the reference's table
// (`readme-table.mjs`). Exits with 1 if a requirement is not met.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { timeEventLoop } from './event-loop.mjs';
import { loadContenders, timeOperations } from './operations.mjs';
import { timePipeline } from './pipeline/pipeline.mjs';
import { operationLine, pipelineLine } from './tables.mjs';
import { judge } from './verdicts.mjs';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const sections = options.only?.split(',') ?? ['operations', 'pipeline', 'event-loop'];
const isWhole = !options.quick && options.only === undefined;
const rounds = options.quick ? 3 : 15;

const say = (line) => process.stdout.write(`${line}\n`);

const { contenders, missing } = await loadContenders();
const backends = contenders.map(({ name }) => name).filter((name) => name === 'kernel' || name === 'portable');
const results = {
  measuredAt: new Date().toISOString(),
  machine: {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    platform: process.platform,
    arch: process.arch,
  },
  node: process.version,
  contenders: Object.fromEntries(contenders.map(({ name, version }) => [name, version])),
  missing: Object.fromEntries(missing.map(({ name, missing: why }) => [name, why])),
};

try {
  say(`Node ${process.version}, ${results.machine.cpu}, ${results.machine.cores} cores`);
  for (const [name, version] of Object.entries(results.contenders)) say(`  ${name}: ${version}`);
  for (const [name, why] of Object.entries(results.missing)) say(`  ${name} is missing: ${why}`);

  if (sections.includes('operations')) {
    say('\nMicroseconds of processor time, and how many times the kernel is as fast:');
    results.operations = await timeOperations(contenders, rounds, (...row) => say(operationLine(...row)));
  }
  if (sections.includes('event-loop')) {
    say('\nThe longest turn of the event loop, in milliseconds:');
    results.eventLoop = await timeEventLoop({ backends, requests: options.quick ? 30 : 300 }, (row) =>
      say(`  ${row.backend}, ${row.name}: ${spread(row.heldMillis)}; idle ${spread(row.idleMillis)}`),
    );
  }
  if (sections.includes('pipeline')) {
    say('\nPOST of 0.9 KiB, answered with as much:');
    const length = options.quick ? { rounds: 3, share: 0.2 } : { rounds: 9, share: 1 };
    const { generator, stolen, rows } = await timePipeline({ ...length, backends }, (row) => say(pipelineLine(row)));
    Object.assign(results, { generator, stolen, pipeline: rows });
    say(`  sent by a generator ${generator}; the host took ${(100 * stolen).toFixed(1)} % of the processors`);
  }
} finally {
  for (const contender of contenders) await contender.close?.();
}

results.verdicts = judge(results);
say('');
for (const { demanded, measured, least, most, isMet } of results.verdicts) {
  say(
    `${isMet ? 'met    ' : 'NOT MET'} ${demanded}: ${measured} ` +
      `(${least === undefined ? `at most ${most}` : `at least ${least}`})`,
  );
}
if (isWhole) {
  const file = new URL(`results/node-${process.versions.node.split('.')[0]}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(`\nkept in packages/envelope-crypto/bench/${file.pathname.split('/').slice(-2).join('/')}`);
}
if (results.verdicts.some(({ isMet }) => !isMet)) process.exitCode = 1;

function spread({ median, p95, max }) {
  return `median ${median.toFixed(2)}, p95 ${p95.toFixed(2)}, most ${max.toFixed(2)}`;
}
