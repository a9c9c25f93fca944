/** A transaction of drizzle, by the parts of which its class makes another one. */
interface DrizzleTransaction {
  readonly dialect: unknown;
  readonly session: object & { readonly client: object };
  readonly schema: unknown;
  readonly nestedIndex: number;
}

type TransactionClass<Transaction> = new (
  dialect: unknown,
  session: object,
  schema: unknown,
  nestedIndex: number,
) => Transaction;

/** The work of a savepoint. */
type Work = (client: object) => Promise<unknown>;

/** A transaction that is given to others for a while. */
export interface LentTransaction<Transaction> {
  readonly transaction: Transaction;
  /** From now on each of its statements rejects, also within its savepoints. */
  takeBack(): void;
}

const over = () => new Error('the change is over, and so is its transaction');

/**
 * Lends a transaction. The lender uses its own for the commit or the rollback: after either, a statement of the
 * borrower would belong to the next use of the connection, such as the transaction of another request.
 */
export function lendTransaction<Transaction extends object>(transaction: Transaction): LentTransaction<Transaction> {
  const { dialect, session, schema, nestedIndex } = transaction as unknown as DrizzleTransaction;
  let isLent = true;
  let end = (): void => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => reject(over());
  });
  ended.catch(() => {});

  /** Prepared queries and queries of relations keep the session or its client, so only the client sees them all. */
  function guarded<Client extends object>(client: Client): Client {
    return new Proxy(client, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          if (!isLent) throw over();
          const [work] = given;
          if (typeof work !== 'function') return Reflect.apply(member, target, given);
          return Promise.race([Reflect.apply(member, target, [guardedWork(work as Work)]), ended]);
        };
      },
    });
  }

  /** The work of a savepoint of postgres.js. That driver has a client for it, and ends it without one. */
  function guardedWork(work: Work): Work {
    return async (client) => {
      try {
        return await work(guarded(client));
      } finally {
        // An end that does not come is not sent.
        if (!isLent) await new Promise(() => {});
      }
    };
  }

  const client = guarded(session.client);
  const copy = Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
  const Class = transaction.constructor as TransactionClass<Transaction>;
  return {
    transaction: new Class(dialect, copy, schema, nestedIndex),
    takeBack() {
      isLent = false;
      end();
    },
  };
}
