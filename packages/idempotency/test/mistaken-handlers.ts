import { sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TestedDatabase } from './store-kinds.js';

export const orders = pgTable('orders', { id: serial('id').primaryKey(), item: text('item').notNull() });

type Transaction = Parameters<Parameters<TestedDatabase['transaction']>[0]>[0];

/** What a handler works with. */
export interface Work {
  readonly database: TestedDatabase;
  /** Another pool on the same database. */
  readonly other: TestedDatabase;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Resolves when the answer is there; on PGlite, whose one connection the transaction holds, at once. */
  readonly answered: Promise<void>;
  readonly insert: (transaction: TestedDatabase | Transaction) => Promise<unknown>;
  readonly complete: (transaction: object) => Promise<void>;
}

export interface Handling {
  readonly what: string;
  readonly handle: (work: Work) => Promise<unknown>;
  /** The answer: a status, or what the handler must do, as answer and log say it. */
  readonly answer: 201 | 409 | 500 | 'call' | 'wait for' | 'let the error of' | 'commit what';
  /** Other answers, where the driver or the only connection decides differently. */
  readonly on?: Readonly<Partial<Record<string, Handling['answer']>>>;
  /** The answer on a route that is not transactional, where it differs. Null: its success is no matter of keys. */
  readonly otherwise?: Handling['answer'] | null;
}

export const ignore = (): void => {};
const undo = (): never => {
  throw new Error('The handler changes its mind');
};
const failing = sql`select 1 / 0`;
// postgres.js and PGlite reject a transaction one of whose statements failed, also if the handler has ignored that.
const PATIENT = { PostgreSQL: 500, PGlite: 500 } as const;

/** Handlers that are right, and handlers with the mistakes that people make. */
export const handlings: readonly Handling[] = [
  {
    what: 'completes last, in its only transaction',
    answer: 201,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await complete(tx);
      }),
  },
  {
    what: 'never completes',
    answer: 'call',
    otherwise: 201,
    handle: ({ database, insert }) => database.transaction(insert),
  },
  {
    what: 'completes in a savepoint that is rolled back',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.transaction(async (savepoint) => complete(savepoint).then(undo)).catch(ignore);
      }),
  },
  {
    what: 'completes by the outer transaction in a savepoint that is rolled back',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.transaction(async () => complete(tx).then(undo)).catch(ignore);
      }),
  },
  {
    what: 'completes in a savepoint that it rolls back by a statement',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.execute(sql`savepoint before_completion`);
        await complete(tx);
        await tx.execute(sql`rollback to savepoint before_completion`);
      }),
  },
  {
    what: 'completes in a savepoint that is released',
    answer: 201,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.transaction(complete);
      }),
  },
  {
    what: 'commits in a second transaction, without completion, what it has rolled back in the first',
    answer: 'commit what',
    async handle({ database, insert, complete }) {
      await database
        .transaction(async (tx) => {
          await insert(tx);
          await complete(tx);
          undo();
        })
        .catch(ignore);
      await database.transaction(insert);
    },
  },
  {
    what: 'commits in a second transaction, with its completion, what it has rolled back in the first',
    answer: 201,
    async handle({ database, insert, complete }) {
      const attempt = (end: () => void) =>
        database.transaction(async (tx) => {
          await insert(tx);
          await complete(tx);
          end();
        });
      await attempt(undo).catch(() => attempt(ignore));
    },
  },
  {
    what: 'tries again after two serialization failures',
    answer: 201,
    async handle({ database, insert, complete }) {
      const conflict = sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`;
      for (let failures = 2; ; failures -= 1) {
        const attempt = database.transaction(async (tx) => {
          await insert(tx);
          await complete(tx);
          if (failures > 0) await tx.execute(conflict);
        });
        if (
          await attempt.then(
            () => true,
            () => false,
          )
        )
          return;
      }
    },
  },
  {
    what: 'ignores an error of its transaction after the completion',
    answer: 'commit what',
    on: PATIENT,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await complete(tx);
        await tx.execute(failing).catch(ignore);
      }),
  },
  {
    what: 'ignores an error of its transaction before the completion',
    answer: 500,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.execute(failing).catch(ignore);
        await complete(tx);
      }),
  },
  {
    what: 'ignores an error before the completion, and that of the completion',
    answer: 'let the error of',
    on: PATIENT,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await tx.execute(failing).catch(ignore);
        await complete(tx).catch(ignore);
      }),
  },
  {
    what: 'ignores that its commit fails',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database
        .transaction(async (tx) => {
          await insert(tx);
          await tx.execute(sql`insert into late_checks values (1)`);
          await complete(tx);
        })
        .catch(ignore),
  },
  {
    what: 'rolls back by tx.rollback() after the completion, and ignores what that throws',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database
        .transaction(async (tx) => {
          await insert(tx);
          await complete(tx);
          tx.rollback();
        })
        .catch(ignore),
  },
  {
    what: 'rolls back by tx.rollback() before the completion, and ignores what that throws',
    answer: 'call',
    otherwise: null,
    handle: ({ database, insert, complete }) =>
      database
        .transaction(async (tx) => {
          await insert(tx);
          if (tx !== null) tx.rollback();
          await complete(tx);
        })
        .catch(ignore),
  },
  {
    what: 'rolls back by a statement after the completion',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await complete(tx);
        await tx.execute(sql`rollback`);
      }),
  },
  {
    what: 'rolls back by a statement after the completion, and goes on outside of the transaction',
    answer: 'commit what',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await complete(tx);
        await tx.execute(sql`rollback`);
        await insert(tx);
      }),
  },
  {
    what: 'rolls back by a statement, goes on outside of the transaction, and completes there',
    answer: 409,
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await tx.execute(sql`rollback`);
        await insert(tx);
        await complete(tx);
      }),
  },
  {
    what: 'completes after the transaction',
    answer: 409,
    async handle({ database, insert, complete }) {
      let ended: object = {};
      await database.transaction(async (tx) => {
        ended = tx;
        await insert(tx);
      });
      await complete(ended);
    },
  },
  {
    what: 'completes by the database itself',
    answer: 500,
    async handle({ database, insert, complete }) {
      await database.transaction(insert);
      await complete(database);
    },
  },
  {
    what: 'completes in a transaction of another pool, which commits',
    answer: 201,
    async handle({ database, other, insert, complete }) {
      await database.transaction(insert);
      await other.transaction(complete);
    },
  },
  {
    what: 'does not wait for the completion',
    answer: 'wait for',
    handle: ({ database, insert, complete }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        void complete(tx);
      }),
  },
  {
    what: 'does not wait for its transaction, which is open when the handler returns, and commits',
    answer: 'wait for',
    on: { PGlite: 201 },
    handle: ({ database, insert, complete, answered }) =>
      new Promise((resolve, reject) => {
        database
          .transaction(async (tx) => {
            await insert(tx);
            await complete(tx);
            resolve(null);
            await answered;
          })
          .catch(reject);
      }),
  },
  {
    what: 'does not wait for its transaction, which is open when the handler returns, and is rolled back',
    answer: 'wait for',
    on: { PGlite: 'commit what' },
    handle: ({ database, insert, complete, answered }) =>
      new Promise((resolve) => {
        database
          .transaction(async (tx) => {
            await insert(tx);
            await complete(tx);
            resolve(null);
            await answered;
            undo();
          })
          .catch(ignore);
      }),
  },
  {
    what: 'replies in the transaction before the completion',
    answer: 'call',
    otherwise: null,
    handle: ({ database, insert, complete, reply, answered }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        reply.code(201).send({ data: 'ordered' });
        await answered;
        await complete(tx);
      }),
  },
  {
    what: 'replies in the transaction after the completion, and commits',
    answer: 'wait for',
    on: { PGlite: 201 },
    handle: ({ database, insert, complete, reply, answered }) =>
      database.transaction(async (tx) => {
        await insert(tx);
        await complete(tx);
        reply.code(201).send({ data: 'ordered' });
        await answered;
      }),
  },
  {
    what: 'replies in the transaction after the completion, and rolls back',
    answer: 'wait for',
    on: { PGlite: 'commit what' },
    handle: ({ database, insert, complete, reply, answered }) =>
      database
        .transaction(async (tx) => {
          await insert(tx);
          await complete(tx);
          reply.code(201).send({ data: 'ordered' });
          await answered;
          undo();
        })
        .catch(ignore),
  },
  {
    what: 'throws after the commit',
    answer: 500,
    async handle({ database, insert, complete }) {
      await database.transaction(async (tx) => {
        await insert(tx);
        await complete(tx);
      });
      undo();
    },
  },
];
