import type { Sql, TransactionSql } from 'postgres';

type Sending = Pick<Sql, 'unsafe'>;
type Work = (transaction: TransactionSql) => unknown;

/**
 * Lets the driver prepare the statements of drizzle, which disables preparation. Without it each statement takes two
 * round trips, one of them for the types of its parameters, and PostgreSQL parses and plans it again. A prepared
 * statement takes one round trip and half the work. The server has few different statements, and connections are
 * replaced after an hour, so their memory is bounded.
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
  // A text without parameters uses the simple protocol, which accepts several statements and prepares none.
  sending.unsafe = ((text, parameters = [], options = {}) =>
    unsafe(text, parameters, parameters.length === 0 ? options : { ...options, prepare: true })) as Sql['unsafe'];
}
