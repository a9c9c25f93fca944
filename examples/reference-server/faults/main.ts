import { readCommandLine, unknownWordFault } from '@sallyport/plugin-kit/command-line';
import postgres from 'postgres';
import { type PostgresProcess, startPostgresProcess } from '../../../scripts/postgres-process.js';
import { canStartRedisCluster, startRedisCluster } from '../../../scripts/redis-cluster.js';
import { createRedisProcess, redisServerMajor } from '../../../scripts/redis-process.js';
import type { Finding } from './observed-run.js';
import { reconcileDatabase } from './reconciled-rows.js';
import { reportTable } from './report-table.js';
import { abuse } from './scenarios/abuse.js';
import { rpl7 } from './scenarios/clock-step.js';
import { hostile } from './scenarios/hostile.js';
import { id03 } from './scenarios/id-03.js';
import { id23 } from './scenarios/id-23.js';
import { rpl6 } from './scenarios/nonce-loss.js';
import { ops9 } from './scenarios/ops-9.js';
import { ord6 } from './scenarios/ord-6.js';
import { ord7 } from './scenarios/ord-7.js';
import { rel1 } from './scenarios/rel-1.js';
import { rel2 } from './scenarios/rel-2.js';
import { rel3 } from './scenarios/rel-3.js';
import { rel4 } from './scenarios/rel-4.js';
import { rel5 } from './scenarios/rel-5.js';
import { rel6 } from './scenarios/rel-6.js';
import { rel8 } from './scenarios/rel-8.js';
import { rel9 } from './scenarios/rel-9.js';
import { rel10 } from './scenarios/rel-10.js';
import { rel11 } from './scenarios/rel-11.js';
import { rel12 } from './scenarios/rel-12.js';
import { rel15 } from './scenarios/rel-15.js';
import { type Counts, type Scenario, SHORT_COUNTS } from './scenarios/scenario.js';
import { tok13 } from './scenarios/tok-13.js';
import { tok15 } from './scenarios/tok-15.js';

const scenarios: readonly Scenario[] = [
  rel1,
  rel2,
  rel3,
  rel4,
  rel5,
  rel6,
  rel8,
  rel9,
  rel10,
  rel11,
  rel12,
  rel15,
  ops9,
  id03,
  id23,
  rpl6,
  rpl7,
  tok13,
  tok15,
  ord6,
  ord7,
  abuse,
  hostile,
];

/** Used instead of names: runs every scenario with short counts. */
const ALL = 'all';

/** Full counts take more than two hours in total. */
const FULL_COUNTS: Counts = {
  kills: 50,
  atEachPoint: 20,
  rounds: 20,
  crashes: 10,
  keys: 20,
  seconds: 10,
  minutes: 30,
  hours: 25,
  sessions: 1000,
  storedSessions: 100_000,
  readerPercent: 3,
};

const HELP = `Breaks real server processes, and compares what clients were told with what the tables hold.

  run faults [scenario …] [--store name …] [--kills 50] [--at-each-point 20] [--rounds 20] [--crashes 10] [--keys 20]
             [--seconds 10] [--minutes 30] [--hours 25] [--sessions 1000] [--stored-sessions 100000]
             [--reader-percent 3]
  run faults all        every scenario, in counts that are just enough to see that everything holds

${scenarios.map(({ name, meaning, stores }) => `  ${name.padEnd(8)}${meaning} (${stores.join(', ')})`).join('\n')}

Without a name: all of them, in full counts. Ends with 1 when a violation was found.
`;

const say = (text: string) => process.stdout.write(`${text}\n`);

function readFaultsCommand() {
  const count = { type: 'string' } as const;
  const { values, positionals } = readCommandLine(process.argv.slice(2), {
    words: [...scenarios.map(({ name }) => name), ALL],
    options: {
      help: { type: 'boolean', default: false },
      kills: count,
      'at-each-point': count,
      rounds: count,
      crashes: count,
      keys: count,
      seconds: count,
      minutes: count,
      hours: count,
      sessions: count,
      'stored-sessions': count,
      'reader-percent': count,
      store: { type: 'string', multiple: true, default: [] },
    },
  });
  const names = positionals.filter((name) => name !== ALL);
  const knownStores: readonly string[] = [...new Set(scenarios.flatMap(({ stores }) => stores))];
  const unknownStore = values.store.find((name) => !knownStores.includes(name));
  if (unknownStore !== undefined) throw new TypeError(unknownWordFault(unknownStore, knownStores));
  const defaults = positionals.includes(ALL) ? SHORT_COUNTS : FULL_COUNTS;
  const given = (option: Exclude<keyof typeof values, 'help' | 'store'>, otherwise: number) =>
    values[option] === undefined ? otherwise : wholeNumber(option, values[option]);
  const counts: Counts = {
    kills: given('kills', defaults.kills),
    atEachPoint: given('at-each-point', defaults.atEachPoint),
    rounds: given('rounds', defaults.rounds),
    crashes: given('crashes', defaults.crashes),
    keys: given('keys', defaults.keys),
    seconds: given('seconds', defaults.seconds),
    minutes: given('minutes', defaults.minutes),
    hours: given('hours', defaults.hours),
    sessions: given('sessions', defaults.sessions),
    storedSessions: given('stored-sessions', defaults.storedSessions),
    readerPercent: given('reader-percent', defaults.readerPercent),
  };
  const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
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
        if (store === 'redis-cluster' && !canStartRedisCluster) {
          throw new Error('redis-server 7 or later and redis-cli are needed; or choose another --store');
        }
        const tell = (line: string) => say(`${new Date().toISOString()} ${scenario.name} ${store}: ${line}`);
        const databaseUrl = await createDatabase(database, `${scenario.name}-${store}`);
        const redisCluster = store === 'redis-cluster' ? await startRedisCluster(3, 1) : null;
        const site = { databaseUrl, postgres: database, redis, redisCluster, store, say: tell };
        try {
          findings.push(...(await scenario.run(site, counts)));
          const reconciled = await reconcileDatabase({ scenario: scenario.name.toUpperCase(), store }, databaseUrl);
          if (reconciled !== null) findings.push(reconciled);
        } catch (error) {
          // A failure must not discard the findings of the other scenarios.
          process.exitCode = 1;
          tell(`BROKE OFF: ${(error as Error).stack}`);
        } finally {
          await redisCluster?.close();
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

async function main(): Promise<void> {
  const { isHelp, counts, chosen, stores } = readFaultsCommand();
  if (isHelp) {
    say(HELP);
    return;
  }
  const findings = await runAll(chosen, stores, counts);
  say(`\n${reportTable(findings)}`);
  const violations = findings.reduce((sum, finding) => sum + finding.violations.length, 0);
  say(`\n${violations} violations in ${findings.length} runs.`);
  if (violations > 0 || findings.length === 0) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  const isUsage = error instanceof TypeError;
  process.stderr.write(`${isUsage ? `Nothing was run. ${error.message}` : (error as Error).stack}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
// Node.js 20 can spin at the end of its event loop, in the cleanup of handles, where children were started and killed.
process.exit();
