import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';

/** A database of one test file's own, on the PostgreSQL of the test run. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Cuts off whoever is still connected. */
  drop(): Promise<void>;
}

/** Creates it empty. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name}`);
  return {
    name,
    url: Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}` }).href,
    drop: () => runOnServer(`drop database ${name} with (force)`),
  };
}

async function runOnServer(statement: string): Promise<void> {
  const server = postgres(inject('databaseUrl'), { max: 1 });
  try {
    await server.unsafe(statement);
  } finally {
    await server.end();
  }
}
