import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { ITEM_ID, type PreflightItem, SEVERITIES } from './preflight-item.js';

/** Timeout of one check, in milliseconds. The start waits for it. */
const CHECK_LIMIT_MILLIS = 10_000;

/** Maximum length of a displayed text. */
const MAX_TEXT_LENGTH = 1000;

interface RunnableCheck<Context> {
  readonly id: string;
  run(context: Context): Iterable<PreflightItem> | AsyncIterable<PreflightItem> | Promise<Iterable<PreflightItem>>;
}

/** Runs all checks and returns their items in order. Never rejects: a check that fails becomes an error item. */
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

/** Validates an item of a check, because it is printed, logged and decides about the start. */
function checked(checkId: string, item: PreflightItem): PreflightItem {
  const { id, severity, finding, fix } = (item ?? {}) as PreflightItem;
  const isOwn = typeof id === 'string' && ITEM_ID.test(id) && (id === checkId || id.startsWith(`${checkId}.`));
  const isWhole = [finding, fix].every((text) => typeof text === 'string' && text !== '');
  if (!isOwn || !isWhole || !SEVERITIES.includes(severity)) {
    return broken(checkId, new TypeError('it returned something that is not one of its items'));
  }
  return { id, severity, finding: oneLine(finding), fix: oneLine(fix) };
}

/** Puts a text on one line. */
function oneLine(text: string): string {
  return text.replace(/\p{C}+|\s+/gu, ' ').slice(0, MAX_TEXT_LENGTH);
}

/** Reports the class and the code of the error. Its message is omitted, because it may contain secrets. */
function broken(checkId: string, error: unknown): PreflightItem {
  const { name, code } = (error instanceof Error ? error : new Error()) as Error & { code?: unknown };
  const why = typeof code === 'string' ? `${name}, ${code}` : name;
  return {
    id: `${ITEM_ID.test(checkId) ? checkId : 'preflight.check'}.broken`,
    severity: 'error',
    finding: oneLine(`the check ${checkId} failed (${why})`),
    fix: 'make the checked system reachable, or correct the check',
  };
}
