import type { App } from '../../dist/app.js';
import type { Database } from '../../dist/storage/database.js';
import { payments } from '../../dist/storage/schema.js';
import type { KillPoint } from './kill-point.js';

type Reach = (point: KillPoint) => void;
type Orm = Database['orm'];
type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

const METHOD = 'POST';
const PATH = '/admin/payments';

/** Adds points before and after the commit of a transaction that inserts a payment. */
export function watchTransactions(orm: Orm, reach: Reach): void {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = async function watchedTransaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    settings?: Parameters<Orm['transaction']>[1],
  ): Promise<Result> {
    let isPayment = false;
    const result = await transaction(async (tx) => {
      const insert = tx.insert.bind(tx);
      tx.insert = (table) => {
        isPayment ||= (table as unknown) === payments;
        return insert(table);
      };
      const made = await work(tx);
      if (isPayment) reach('before-commit');
      return made;
    }, settings);
    if (isPayment) reach('after-commit');
    return result;
  };
}

/** Adds a point before the first byte of the answer to a created payment. */
export function watchAnswers(app: App, reach: Reach): void {
  app.server.prependListener('request', (request, response) => {
    if (request.method !== METHOD || request.url !== PATH) return;
    const end = response.end.bind(response) as (...content: unknown[]) => typeof response;
    response.end = (...content: unknown[]) => {
      if (response.statusCode === 201) reach('before-answer');
      return end(...content);
    };
  });
}
