import type { App } from '../../dist/app.js';
import type { Database } from '../../dist/storage/database.js';
import { fileContents, payments, storedFiles } from '../../dist/storage/schema.js';
import type { KillPoint } from './kill-point.js';

type Reach = (point: KillPoint) => void;
type Orm = Database['orm'];
type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

/** The tables of the writes that have points. */
const WRITTEN: readonly unknown[] = [payments, storedFiles];

/** The commit of `runTransaction`. The driver ends an empty transaction behind it. */
const COMMIT = /^commit\b/;

const METHOD = 'POST';
const PATHS: readonly unknown[] = ['/admin/payments', '/admin/storage/files'];

/** Adds points before and after the commit of a transaction that inserts a payment or a file. */
export function watchTransactions(orm: Orm, reach: Reach): void {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = async function watchedTransaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    settings?: Parameters<Orm['transaction']>[1],
  ): Promise<Result> {
    let isWatched = false;
    return transaction(async (tx) => {
      const insert = tx.insert.bind(tx);
      tx.insert = (table) => {
        isWatched ||= WRITTEN.includes(table);
        return insert(table);
      };
      const remove = tx.delete.bind(tx);
      tx.delete = (table) => {
        // The first statement of a change that stores a file.
        if ((table as unknown) === fileContents) reach('after-publish');
        return remove(table);
      };
      const execute = tx.execute.bind(tx);
      tx.execute = ((statement) => {
        const isCommit = isWatched && typeof statement === 'string' && COMMIT.test(statement);
        return isCommit ? watchedCommit(() => execute(statement), reach) : execute(statement);
      }) as typeof tx.execute;
      return work(tx);
    }, settings);
  };
}

async function watchedCommit(commit: () => PromiseLike<unknown>, reach: Reach): Promise<unknown> {
  reach('before-commit');
  const answer = await commit();
  reach('after-commit');
  return answer;
}

/** Adds a point after a content is announced: only announcements insert into the ledger outside of a change. */
export function watchAnnouncements(orm: Orm, reach: Reach): void {
  const insert = orm.insert.bind(orm);
  orm.insert = (table) => {
    const builder = insert(table);
    if ((table as unknown) !== fileContents) return builder;
    const values = builder.values.bind(builder) as (rows: never) => ReturnType<typeof builder.values>;
    builder.values = (rows: unknown) => {
      const query = values(rows as never);
      const execute = query.execute.bind(query);
      query.execute = async (...placeholders) => {
        const result = await execute(...placeholders);
        reach('after-announce');
        return result;
      };
      return query;
    };
    return builder;
  };
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
