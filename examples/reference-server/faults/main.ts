import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { type PostgresProcess, startPostgresProcess } from '../../../scripts/postgres-process.js';
import { createRedisProcess, redisServerMajor } from '../../../scripts/redis-process.js';
import type { Finding } from './observed-run.js';
import { reportTable } from './report-table.js';
import { id03 } from './scenarios/id-03.js';
import { id23 } from './scenarios/id-23.js';
import { rel1 } from './scenarios/rel-1.js';
import { rel3 } from './scenarios/rel-3.js';
import { rel6 } from './scenarios/rel-6.js';
import { rel9 } from './scenarios/rel-9.js';
import { rel10 } from './scenarios/rel-10.js';
import type { Counts, Scenario } from './scenarios/scenario.js';

const scenarios: readonly Scenario[] = [rel1, rel3, rel6, rel9, rel10, id03, id23];

const HELP = `Breaks real server processes, and compares what clients were told with what the tables hold.

  run faults [scenario …] [--kills 50] [--at-each-point 20] [--rounds 20] [--crashes 10] [--keys 20] [--store name …]

${scenarios.map(({ name, meaning, stores }) => `  ${name.padEnd(8)}${meaning} (${stores.join(', ')})`).join('\n')}

Without a name: all of them. Ends with 1 when a violation was found.
`;

const say = (text: string) => process.stdout.write(`${text}\n`);

function readCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      kills: { type: 'string', default: '50' },
      'at-each-point': { type: 'string', default: '20' },
      rounds: { type: 'string', default: '20' },
      crashes: { type: 'string', default: '10' },
      keys: { type: 'string', default: '20' },
      store: { type: 'string', multiple: true, default: [] },
    },
  });
  const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`there is no scenario ${unknown.join(', ')}`);
  const counts: Counts = {
    kills: wholeNumber('kills', values.kills),
    atEachPoint: wholeNumber('at-each-point', values['at-each-point']),
    rounds: wholeNumber('rounds', values.rounds),
    crashes: wholeNumber('crashes', values.crashes),
    keys: wholeNumber('keys', values.keys),
  };
  const chosen = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { isHelp: values.help, counts, chosen, stores: values.store };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new TypeError(`--${name} takes a whole number`);
  return Number(text);
}

async function runAll(chosen: readonly Scenario[], stores: readonly string[], counts: Counts): Promise<Finding[]> {
  const database = await startPostgresProcess('-c', 'max_connections=200', '-c', 'fsync=off');
  const redis = redisServerMajor === null ? null : await createRedisProcess();
  await redis?.start();
  const findings: Finding[] = [];
  try {
    for (const scenario of chosen) {
      for (const store of scenario.stores.filter((name) => stores.length === 0 || stores.includes(name))) {
        if (store === 'redis' && redis === null) throw new Error('redis-server is needed; or choose another --store');
        const tell = (line: string) => say(`${new Date().toISOString()} ${scenario.name} ${store}: ${line}`);
        const databaseUrl = await createDatabase(database, `${scenario.name}-${store}`);
        const site = { databaseUrl, postgres: database, redis, store, say: tell };
        try {
          findings.push(...(await scenario.run(site, counts)));
        } catch (error) {
          // What the others found is not lost with it.
          process.exitCode = 1;
          tell(`BROKE OFF: ${(error as Error).stack}`);
        }
      }
    }
    return findings;
  } finally {
    await redis?.kill();
    await database.stop();
  }
}

async function createDatabase({ url }: PostgresProcess, name: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  try {
    await sql`create database ${sql(name)}`;
  } finally {
    await sql.end();
  }
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

const { isHelp, counts, chosen, stores } = readCommandLine();
if (isHelp) say(HELP);
else {
  const findings = await runAll(chosen, stores, counts);
  say(`\n${reportTable(findings)}`);
  const violations = findings.reduce((sum, finding) => sum + finding.violations.length, 0);
  say(`\n${violations} violations in ${findings.length} runs.`);
  if (violations > 0 || findings.length === 0) process.exitCode = 1;
}
