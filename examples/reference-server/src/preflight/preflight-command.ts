import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { failureText } from '../storage/failure-text.js';
import { openStores } from './open-stores.js';
import { checkSettings, checkStores, inspectForProduction, presentable } from './preflight.js';
import { describeItem, type PreflightItem, SEVERITIES, type Severity } from './preflight-item.js';
import type { ProcessFacts } from './process-facts.js';

const USAGE = `node dist/commands/preflight.js [--json] [--strict]

Checks this environment for production. Each line has a severity, a finding, its fix, and the id in brackets.
The command reads the environment of the server, queries PostgreSQL and Redis, and changes nothing.

--json    one JSON object: { passed, errors, warnings, infos, items: [{ id, severity, finding, fix }] }
--strict  warnings count as errors

Exit status: 0 production would start, 1 it would not start, 2 the preflight could not run.
`;

/** The parts of a process that the command uses. */
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
    const { values: given } = readCommandLine(process.argv, {
      options: { json: { type: 'boolean' }, strict: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
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
    process.writeError(`The preflight could not run. ${failureText(error)}\n`);
    return 2;
  }
}

async function findItems({ facts, now }: PreflightProcess): Promise<readonly PreflightItem[]> {
  const { config, unread, items } = inspectForProduction(facts.environment);
  const options = { config, unread, process: facts, now };
  items.push(...(await checkSettings(options)));
  // Do not open a store whose address could not be read: the default would name another one.
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
  finding: 'the addresses of the stores could not be read, so the stores were not checked',
  fix: 'correct the errors, and run this again',
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
