// From the kept results to machines: what the blocks of docs/capacity.md contain.
import { figure, markdownTable, tableOf } from './tables.mjs';

const RATES = [1000, 10_000, 100_000];
/** Of a thousand requests. The others read. */
const WRITES = 100;
const SIGN_INS = 1;
/** The share of a core, of Redis or of a chain that is used, so that peaks and a lost node fit in. */
const USED = 0.6;
const CORES = 8;
const SECONDS_OF_A_DAY = 86_400;

const seriesOf = (result, id) => result.series.find((one) => one.id === id);

/** The value of a line at its smallest or largest size. */
function lineAt(result, id, name, place) {
  const { points } = seriesOf(result, id).lines.find((line) => line.name === name);
  return points.at(place)[1];
}
const smallest = 0;
const largest = -1;

const up = (value) => Math.max(1, Math.ceil(value - 1e-9));

/** When, on what and next to what a part was measured, and its command. */
function aboutOf({ part, measuredAt, machine, node, load, seconds }) {
  const [before, after] = load;
  const on = `${machine.cores} cores of ${machine.cpu}, ${machine.gigabytes} GB, Node ${node}`;
  return [
    `Measured ${measuredAt.slice(0, 10)} in ${seconds} s on ${on}; load average ${before} before, ${after} after.`,
    '',
    '<!-- not run: it measures for minutes, and a busy machine would give other figures -->',
    '',
    '```sh',
    `cd examples/reference-server && npx --yes pnpm@12.21.0 run bench PRF-11 --part=${part}`,
    '```',
  ].join('\n');
}

/** What the arithmetic begins with. */
function inputsOf(results) {
  const { nodes, stores } = results;
  return {
    read: lineAt(nodes, 'processor', 'GET /admin/profile', smallest),
    write: lineAt(nodes, 'processor', 'POST /admin/payments', smallest),
    databaseRead: lineAt(nodes, 'processor', 'GET /admin/profile, PostgreSQL', smallest),
    databaseWrite: lineAt(nodes, 'processor', 'POST /admin/payments, PostgreSQL', smallest),
    signIns: lineAt(results['sign-ins'], 'rates', 'sign-ins for a second of a core', smallest),
    appends: lineAt(results['audit-log'], 'rates', 'append, 64 in flight', largest),
    verified: lineAt(results['audit-log'], 'rates', 'verification', largest),
    recordBytes: lineAt(results['audit-log'], 'disk', 'table and indexes', largest),
    redis:
      lineAt(stores, 'processor', 'check of a session', largest) +
      lineAt(stores, 'processor', 'claim of a nonce', largest),
    sessionBytes: lineAt(stores, 'memory', 'sessions', largest),
  };
}

/** The steps of the arithmetic, each row with its formula. */
function arithmeticOf(results) {
  const of = inputsOf(results);
  const reads = 1000 - WRITES - SIGN_INS;
  const perSecond = (rate) => (share) => (rate * share) / 1000;
  const rows = [
    ['cores for reads', (at) => (at(reads) * of.read) / 1e6, `reads × ${figure(of.read)} µs`],
    ['cores for writes', (at) => (at(WRITES) * of.write) / 1e6, `writes × ${figure(of.write)} µs`],
    ['cores for sign-ins', (at) => at(SIGN_INS) / of.signIns, `sign-ins / ${figure(of.signIns)}`],
  ];
  const cores = (at) => rows.slice(0, 3).reduce((sum, [, value]) => sum + value(at), 0);
  const database = (at) => (at(reads) * of.databaseRead + at(WRITES) * of.databaseWrite) / 1e6;
  const redis = (at) => (at(1000) * of.redis) / 1e6;
  rows.push(
    ['nodes of 8 cores', (at) => up(cores(at) / USED / CORES), `sum / ${USED} / ${CORES}`],
    [
      'cores of PostgreSQL',
      (at) => database(at) / USED,
      `(reads × ${figure(of.databaseRead)} µs + writes × ${figure(of.databaseWrite)} µs) / ${USED}`,
    ],
    ['chains of the audit log', (at) => up(at(WRITES) / of.appends / USED), `writes / ${figure(of.appends)} / ${USED}`],
    ['masters of Redis', (at) => up(redis(at) / USED), `requests × ${figure(of.redis)} µs / ${USED}`],
    [
      'audit log, GB a day',
      (at) => (at(WRITES) * SECONDS_OF_A_DAY * of.recordBytes) / 1e9,
      `writes × ${SECONDS_OF_A_DAY} s × ${figure(of.recordBytes)} B`,
    ],
    [
      'hours to verify a day',
      (at) => (at(WRITES) * SECONDS_OF_A_DAY) / of.verified / 3600,
      `records of a day / ${figure(of.verified)}`,
    ],
    ['Redis for a million sessions, GB', () => of.sessionBytes / 1000, `10⁶ × ${figure(of.sessionBytes)} B`],
  );
  return markdownTable([
    ['step', 'formula', ...RATES.map((rate) => `${figure(rate)} /s`)],
    ...rows.map(([name, value, formula]) => [name, formula, ...RATES.map((rate) => figure(value(perSecond(rate))))]),
  ]);
}

/** Where each part saturates, by the measured figures, with the whole of it used. */
function saturationOf(results) {
  const of = inputsOf(results);
  const reads = 1000 - WRITES - SIGN_INS;
  const perCore = 1e9 / (reads * of.read + WRITES * of.write);
  const databaseCore = 1e9 / (reads * of.databaseRead + WRITES * of.databaseWrite);
  return markdownTable([
    ['part', 'full at', 'then'],
    ['a core of a node, without sign-ins', `${figure(perCore)} requests/s`, 'another process or node behind nginx'],
    ['a core for sign-ins', `${figure(of.signIns)} sign-ins/s`, 'more cores: the cost is the protection'],
    [
      'a core of PostgreSQL',
      `${figure(databaseCore)} requests/s`,
      'more cores; then read replicas for lists and exports',
    ],
    [
      'a chain of the audit log',
      `${figure(of.appends)} records/s`,
      'a chain for each part of the service (`defineAuditRecords`)',
    ],
    ['a master of Redis', `${figure(1e6 / of.redis)} requests/s`, 'Redis Cluster: sessions spread over its slots'],
    [
      'verification by one process',
      `${figure(of.verified)} records/s`,
      'a shorter log: retention, and delivery to an archive',
    ],
  ]);
}

/** The content of each block of the page, by its name. */
export function blocksOf(results) {
  const blocks = { arithmetic: arithmeticOf(results), saturation: saturationOf(results) };
  for (const result of Object.values(results)) {
    blocks[`${result.part} about`] = aboutOf(result);
    for (const series of result.series) blocks[`${result.part} ${series.id}`] = tableOf(series);
  }
  return blocks;
}

const BLOCK = /(<!-- figures: ([\w -]+) -->\n\n)[\s\S]*?(\n\n<!-- end of figures -->)/g;

/** The page with its blocks renewed. An unknown name is an error. */
export function withBlocks(page, blocks) {
  return page.replaceAll(BLOCK, (_, begin, name, end) => {
    if (blocks[name] === undefined) throw new Error(`no figures: ${name}`);
    return begin + blocks[name] + end;
  });
}
