import { withinDeadline } from '@sallyport/deadline';
import { ITEM_ID, type PreflightItem, SEVERITIES } from './preflight-item.js';

/** How long one check may take, in milliseconds: a start waits for it. */
const CHECK_LIMIT_MILLIS = 10_000;

/** The longest text of an item that is shown. */
const MAX_TEXT_LENGTH = 1000;

interface RunnableCheck<Context> {
  readonly id: string;
  run(context: Context): Iterable<PreflightItem> | AsyncIterable<PreflightItem> | Promise<Iterable<PreflightItem>>;
}

/** What all checks find, in their order. Never rejects: a check that breaks is an error of its own. */
export async function runChecks<Context>(
  checks: readonly RunnableCheck<Context>[],
  context: Context,
  limitMillis = CHECK_LIMIT_MILLIS,
): Promise<PreflightItem[]> {
  const found = await Promise.all(
    checks.map(async (check) => {
      try {
        const items = await withinDeadline(collect(check, context), limitMillis, () => new CheckTimeoutError());
        return items.map((item) => checked(check.id, item));
      } catch (error) {
        return [broken(check.id, error)];
      }
    }),
  );
  return found.flat();
}

class CheckTimeoutError extends Error {
  override readonly name = 'CheckTimeoutError';
}

async function collect<Context>(check: RunnableCheck<Context>, context: Context): Promise<PreflightItem[]> {
  const items: PreflightItem[] = [];
  for await (const item of await check.run(context)) items.push(item);
  return items;
}

/** What a check says is printed, logged and decided by: it has to be what it should be. */
function checked(checkId: string, item: PreflightItem): PreflightItem {
  const { id, severity, finding, fix } = (item ?? {}) as PreflightItem;
  const isOwn = typeof id === 'string' && ITEM_ID.test(id) && (id === checkId || id.startsWith(`${checkId}.`));
  const isWhole = [finding, fix].every((text) => typeof text === 'string' && text !== '');
  if (!isOwn || !isWhole || !SEVERITIES.includes(severity)) {
    return broken(checkId, new TypeError('it found something that is no item of its own'));
  }
  return { id, severity, finding: oneLine(finding), fix: oneLine(fix) };
}

/** One line an item, whatever stands in it. */
function oneLine(text: string): string {
  return text.replace(/\p{C}+|\s+/gu, ' ').slice(0, MAX_TEXT_LENGTH);
}

/** The class and the code of the error, and not its message, which may quote anything. */
function broken(checkId: string, error: unknown): PreflightItem {
  const { name, code } = (error instanceof Error ? error : new Error()) as Error & { code?: unknown };
  const why = typeof code === 'string' ? `${name}, ${code}` : name;
  return {
    id: `${ITEM_ID.test(checkId) ? checkId : 'preflight.check'}.broken`,
    severity: 'error',
    finding: oneLine(`the check ${checkId} could not be carried out (${why})`),
    fix: 'make what it asks reachable, or mend the check',
  };
}
