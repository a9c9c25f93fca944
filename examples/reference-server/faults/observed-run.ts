import { createHash, randomBytes } from 'node:crypto';
import type { AbuseReport } from './abuse/results.js';
import { createHistory, type History, isDefinite } from './history.js';
import { checkHistory, type Rules, type Violation } from './history-checker.js';
import type { HostileRow } from './hostile/run-hostile.js';
import { contentOf, createLoadClient, type LoadClient, type Resource } from './load-client.js';
import type { Fleet, StoreName } from './node.js';
import type { KindCount } from './record-checker.js';
import { checkContents } from './stored-contents.js';
import { readTables } from './tables.js';

/** The time allowed for a definite answer after the lease has expired, in milliseconds (REL-1). */
const AFTER_LEASE_MILLIS = 10_000;

/** The result of one run: a row of the report. */
export interface Finding {
  readonly scenario: string;
  readonly store: string;
  /** The injected fault. `times` is how often it was injected. */
  readonly fault: string;
  readonly times: number;
  readonly keys: number;
  readonly attempts: number;
  readonly acknowledged: number;
  readonly submitted: number;
  readonly unknown: number;
  /** The longest time from the first request of a key to its definite answer, in milliseconds. */
  readonly slowestMillis: number;
  readonly rows: number;
  /** Other measurements, formatted. */
  readonly measured?: string;
  /** Changes of state and their audit records, by kind (REL-12). */
  readonly kinds?: readonly KindCount[];
  /** What attackers reached, and what it cost. */
  readonly abuse?: AbuseReport;
  /** What an attacker between clients and service got. */
  readonly hostile?: readonly HostileRow[];
  readonly violations: readonly Violation[];
}

export interface ObservedRun {
  readonly scenario: string;
  readonly fault: string;
  readonly store: StoreName;
  readonly fleet: Fleet;
  readonly databaseUrl: string;
  readonly token: string;
  /** The origins that clients send to. Default: the nodes. */
  readonly origins?: readonly string[];
  readonly sealedShare?: number;
  readonly patienceMillis?: number;
  /** What the clients write. Default `payments`. The content of each stored file is read, too. */
  readonly resource?: Resource;
  /** Rules that differ for this run. */
  readonly rules?: Partial<Rules> | undefined;
}

/** The injected faults. */
export interface Harm {
  readonly times: number;
  /** Violations that the history of writes does not show. */
  readonly violations?: readonly Violation[];
}

/** Runs `work`, which sends writes and injects faults, and then compares the clients' answers with the tables. */
export async function observe(
  { scenario, fault, store, fleet, databaseUrl, token, resource = 'payments', rules, ...sending }: ObservedRun,
  work: (client: LoadClient) => Promise<Harm>,
): Promise<Finding> {
  const history = createHistory();
  const run = `faults-${randomBytes(6).toString('hex')}`;
  const allRules: Rules = {
    definiteWithinMillis: fleet.leaseMillis + AFTER_LEASE_MILLIS,
    // Only a record that commits with the handler's rows determines the outcome of a crashed run.
    mayBeUnknown: store !== 'postgres',
    ...rules,
  };
  const client = createLoadClient({
    origins: fleet.nodes.map(({ origin }) => origin),
    ...sending,
    token,
    history,
    run,
    resource,
    giveUpMillis: 2 * allRules.definiteWithinMillis,
  });
  const { times, violations: others = [] } = await work(client);
  const tables = await readTables(databaseUrl, run, resource);
  const violations = checkHistory(history, tables, allRules);
  if (resource === 'files') {
    const files = tables.payments.map(({ id, key }) => ({ id, sha256: sha256Of(contentOf(key)) }));
    violations.push(...(await checkContents(fleet.nodes[0]!.origin, token, files)));
  }
  return {
    scenario,
    store,
    fault,
    times,
    keys: [...history.keys()].length,
    attempts: history.attemptCount(),
    acknowledged: history.count('acknowledged'),
    submitted: history.count('submitted'),
    unknown: history.count('unknown'),
    slowestMillis: slowest(history),
    rows: tables.payments.length,
    violations: [...others, ...violations],
  };
}

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

function slowest(history: History): number {
  const millis = [...history.keys()].map((key) => {
    const attempts = history.attempts(key);
    const definite = attempts.filter(({ told }) => isDefinite(told)).map(({ toldAt }) => toldAt);
    return Math.min(...definite) - Math.min(...attempts.map(({ sentAt }) => sentAt));
  });
  return Math.round(Math.max(0, ...millis.filter(Number.isFinite)));
}
