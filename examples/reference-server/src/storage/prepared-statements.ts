import type { Sql, TransactionSql } from 'postgres';

type Sending = Pick<Sql, 'unsafe'>;
type Work = (transaction: TransactionSql) => unknown;

/**
 * Lets the driver prepare what drizzle sends. drizzle asks it not to: each statement then takes two round trips, one to
 * learn the types of its parameters, and PostgreSQL parses and plans it anew. Prepared, it takes one, and half the
 * work. The texts of this server's statements are few; a connection that has lived for an hour is replaced, and forgets
 * them.
 */
export function prepareStatements(client: Sql): Sql {
  const { begin } = client;
  prepareOn(client);
  client.begin = ((...args: [Work] | [string, Work]) => {
    const [first, second] = args;
    return typeof first === 'string' ? begin(first, preparing(second as Work)) : begin(preparing(first));
  }) as Sql['begin'];
  return client;
}

function preparing(work: Work): Work {
  return (transaction) => {
    const { savepoint } = transaction;
    prepareOn(transaction);
    transaction.savepoint = ((...args: [Work] | [string, Work]) => {
      const [first, second] = args;
      return typeof first === 'string' ? savepoint(first, preparing(second as Work)) : savepoint(preparing(first));
    }) as TransactionSql['savepoint'];
    return work(transaction);
  };
}

function prepareOn(sending: Sending): void {
  const { unsafe } = sending;
  // One without parameters is sent by the simple protocol, which takes several at once, and knows no preparing.
  sending.unsafe = ((text, parameters = [], options = {}) =>
    unsafe(text, parameters, parameters.length === 0 ? options : { ...options, prepare: true })) as Sql['unsafe'];
}
