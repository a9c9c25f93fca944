import { eq, sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCompleted } from '../src/postgres/index.js';
import { createGate, type Gate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, type TestedDatabase, transactionalKinds } from './store-kinds.js';

const notes = pgTable('notes', { id: serial('id').primaryKey(), note: text('note').notNull() });

describe.each(transactionalKinds)('IDM-7 a statement that is sent with the completion, on %s', (_name, open) => {
  let kind: OpenedKind;
  let databases: readonly [TestedDatabase, TestedDatabase];
  let sent: string[] = [];

  beforeAll(async () => {
    kind = await open();
    databases = kind.databases as typeof databases;
    await databases[0].execute(sql`create table notes (id serial primary key, note text not null)`);
  });
  afterAll(() => kind.close());

  /** The transaction, noting what is sent through it. */
  function watched<Transaction extends { execute(query: never): unknown }>(transaction: Transaction): Transaction {
    return Object.create(transaction, {
      execute: {
        value(query: never) {
          sent.push('statement');
          return transaction.execute(query);
        },
      },
    });
  }

  function start(index: 0 | 1, gates: Gate[] = []): Promise<IdempotentApp> {
    const database = databases[index];
    const noteOf = ({ body }: FastifyRequest) => (body as { note: string }).note;
    const insertNote = (note: string) => sql`insert into notes (note) select ${note}::text where ${isCompleted}`;
    const config = { idempotency: { transactional: true } };
    return createIdempotentApp({ store: kind.nodes[index] }, (app) => {
      app.post('/written', { config }, async (request) => {
        await gates.shift()?.pass();
        await database.transaction(async (transaction) => {
          await transaction.insert(notes).values({ note: `before ${noteOf(request)}` });
          await request.idempotency?.completeWithin(watched(transaction), { also: insertNote(noteOf(request)) });
        });
        return { data: 'done' };
      });
      app.post('/unwritten', { config }, async (request) => {
        await database.transaction(async (transaction) => {
          await request.idempotency?.completeWithin(transaction, { also: insertNote(noteOf(request)) });
        });
        return { data: 'done' };
      });
      app.post('/too-late', { config }, async (request) => {
        let ended: object = {};
        await database.transaction(async (transaction) => {
          ended = transaction;
        });
        await request.idempotency?.completeWithin(ended, { also: insertNote(noteOf(request)) });
        return { data: 'done' };
      });
      app.post('/careless', { config }, async (request) => {
        await database.transaction(async (transaction) => {
          await request.idempotency?.completeWithin(transaction, { also: { sql: 'drop table notes' } });
        });
        return { data: 'done' };
      });
    });
  }

  const submit = (node: IdempotentApp, url: string, key: string) => node.submit({ key, url, body: { note: key } });
  const notesOf = (note: string) => databases[0].select().from(notes).where(eq(notes.note, note));

  it('PRF-5 commits with the record, in one statement', async () => {
    const node = await start(0);
    const key = newKey();
    sent = [];
    expect(tally([await submit(node, '/written', key)])).toEqual({ done: 1 });
    expect(sent).toEqual(['statement']);
    expect(await notesOf(key)).toHaveLength(1);
    expect(tally([await submit(node, '/written', key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(await notesOf(key)).toHaveLength(1);
  });

  it('may be sent before the first write of the transaction', async () => {
    const node = await start(0);
    const key = newKey();
    expect(tally([await submit(node, '/unwritten', key)])).toEqual({ done: 1 });
    expect(await notesOf(key)).toHaveLength(1);
  });

  it('IDM-6 has no effect in a run that has lost its record', async () => {
    const gate = createGate();
    const [paused, other] = [await start(0, [gate]), await start(1)];
    const key = newKey();
    const first = submit(paused, '/written', key);
    await gate.arrival();
    await kind.lapseLeases();
    expect(tally([await submit(other, '/written', key)])).toEqual({ done: 1 });
    gate.open();
    expect(tally([await first])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    expect(await notesOf(key)).toHaveLength(1);
    expect(await notesOf(`before ${key}`)).toHaveLength(1);
  });

  it('REL-3 has no effect outside its transaction, where a driver may send it', async () => {
    const node = await start(0);
    const key = newKey();
    expect((await submit(node, '/too-late', key)).statusCode).toBeGreaterThanOrEqual(400);
    expect(await notesOf(key)).toHaveLength(0);
  });

  it('has to be a statement of drizzle', async () => {
    const node = await start(0);
    const key = newKey();
    const answer = await submit(node, '/careless', key);
    expect(answer.statusCode).toBe(500);
    expect(answer.json().message).toMatch(/also takes a statement/);
  });
});
