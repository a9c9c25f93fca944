import { parseArgs } from 'node:util';
import { openStores } from './open-stores.js';
import { checkSettings, checkStores, inspectForProduction, presentable } from './preflight.js';
import { describeItem, type PreflightItem, SEVERITIES, type Severity } from './preflight-item.js';
import type { ProcessFacts } from './process-facts.js';

const USAGE = `node dist/commands/preflight.js [--json] [--strict]

Says what is wrong with this environment for production, one line each: severity, what was found, how to mend it, and
the id in brackets. It takes the environment that the server takes, asks PostgreSQL and Redis, and changes nothing.

--json    one JSON object: { passed, errors, warnings, infos, items: [{ id, severity, finding, fix }] }
--strict  warnings count as errors

Exit status: 0 production would start, 1 it would not, 2 it could not be looked at.
`;

/** What the command needs of a process. */
export interface PreflightProcess {
  readonly argv: readonly string[];
  readonly facts: ProcessFacts;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** The preflight as a command (OPS-3). Resolves to the exit status. */
export async function runPreflightCommand(process: PreflightProcess): Promise<0 | 1 | 2> {
  try {
    const { values: given } = parseArgs({
      args: [...process.argv],
      options: { json: { type: 'boolean' }, strict: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    if (given.help) {
      process.write(USAGE);
      return 0;
    }
    const items = await findItems(process);
    const failing: readonly Severity[] = given.strict ? ['error', 'warning'] : ['error'];
    const passed = !items.some(({ severity }) => failing.includes(severity));
    process.write(given.json ? asJson(items, passed) : asText(items, passed));
    return passed ? 0 : 1;
  } catch (error) {
    process.writeError(`Nothing was found out. ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

async function findItems({ facts, now }: PreflightProcess): Promise<readonly PreflightItem[]> {
  const { config, unread, items } = inspectForProduction(facts.environment);
  const options = { config, unread, process: facts, now };
  items.push(...(await checkSettings(options)));
  // What could not be read is not opened in another place.
  const isUnread = (['database-url', 'redis-url', 'redis-cluster', 'data-dir', 'preflight.module'] as const).some(
    (each) => unread.has(each),
  );
  if (isUnread) items.push(NOT_OPENED);
  else {
    const opened = await openStores(config);
    try {
      items.push(...opened.items, ...(await checkStores(options, opened.stores)));
    } finally {
      await opened.close();
    }
  }
  return presentable(items, config, facts.environment);
}

const NOT_OPENED: PreflightItem = {
  id: 'preflight.stores-unread',
  severity: 'info',
  finding: 'where the stores are could not be read, so nothing was asked of them',
  fix: 'mend the errors, and run this again',
};

const countOf = (items: readonly PreflightItem[], severity: Severity) =>
  items.filter((item) => item.severity === severity).length;

function asJson(items: readonly PreflightItem[], passed: boolean): string {
  const [errors, warnings, infos] = SEVERITIES.map((severity) => countOf(items, severity));
  return `${JSON.stringify({ passed, errors, warnings, infos, items }, null, 2)}\n`;
}

function asText(items: readonly PreflightItem[], passed: boolean): string {
  const lines = items.map((item) => `${item.severity.padEnd(7)}  ${describeItem(item)}\n`);
  const counts = SEVERITIES.map((severity) => plural(countOf(items, severity), severity)).join(', ');
  return `${lines.join('')}${passed ? 'Production would start' : 'Production would not start'}: ${counts}.\n`;
}

function plural(count: number, severity: Severity): string {
  const name = severity === 'info' ? 'note' : severity;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
