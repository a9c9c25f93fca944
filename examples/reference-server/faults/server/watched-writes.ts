import { getTableName } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { App } from '../../dist/app.js';
import type { Database } from '../../dist/storage/database.js';
import { fileContents, payments, storedFiles } from '../../dist/storage/schema.js';
import type { KillPoint } from './kill-point.js';

type Reach = (point: KillPoint) => void;
type Orm = Database['orm'];
type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

const intoTable = (verb: string, table: PgTable) => new RegExp(`\\b${verb} (?:"[^"]+"\\.)?"${getTableName(table)}"`);

/** The writes that have points. */
const WRITES = [intoTable('insert into', payments), intoTable('insert into', storedFiles)];

/** The first statement of a change that stores a file. */
const PUBLISHED = intoTable('delete from', fileContents);

/** Only announcements insert into the ledger outside of a change. */
const ANNOUNCED = intoTable('insert into', fileContents);

/** The commit of `runTransaction`. The driver ends an empty transaction behind it. */
const COMMIT = /^commit\b/;

const METHOD = 'POST';
const PATHS: readonly unknown[] = ['/admin/payments', '/admin/storage/files'];

/** Calls `around` for each statement of a handle, however it was built: the session of drizzle prepares all of them. */
function watchStatements(
  handle: Orm | Transaction,
  around: (text: string, execute: () => Promise<unknown>) => Promise<unknown>,
): void {
  const { session } = (handle as Orm)._;
  const prepareQuery = session.prepareQuery.bind(session);
  session.prepareQuery = ((query, ...given) => {
    const prepared = prepareQuery(query, ...given);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = (...values) => around(query.sql, () => execute(...values));
    return prepared;
  }) as typeof prepareQuery;
}

/** Adds points before and after the commit of a transaction that inserts a payment or a file. */
export function watchTransactions(orm: Orm, reach: Reach): void {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = async function watchedTransaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    settings?: Parameters<Orm['transaction']>[1],
  ): Promise<Result> {
    let isWatched = false;
    return transaction(async (tx) => {
      watchStatements(tx, async (text, execute) => {
        isWatched ||= WRITES.some((write) => write.test(text));
        if (PUBLISHED.test(text)) reach('after-publish');
        return isWatched && COMMIT.test(text) ? watchedCommit(execute, reach) : execute();
      });
      return work(tx);
    }, settings);
  };
}

async function watchedCommit(commit: () => Promise<unknown>, reach: Reach): Promise<unknown> {
  reach('before-commit');
  const answer = await commit();
  reach('after-commit');
  return answer;
}

/** Adds a point after a content is announced. */
export function watchAnnouncements(orm: Orm, reach: Reach): void {
  watchStatements(orm, async (text, execute) => {
    const result = await execute();
    if (ANNOUNCED.test(text)) reach('after-announce');
    return result;
  });
}

/** Adds a point before the first byte of the answer to a created payment or file. */
export function watchAnswers(app: App, reach: Reach): void {
  app.server.prependListener('request', (request, response) => {
    if (request.method !== METHOD || !PATHS.includes(request.url)) return;
    const end = response.end.bind(response) as (...content: unknown[]) => typeof response;
    response.end = (...content: unknown[]) => {
      if (response.statusCode === 201) reach('before-answer');
      return end(...content);
    };
  });
}
