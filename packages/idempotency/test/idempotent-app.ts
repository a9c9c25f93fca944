import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyServerOptions, type LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import idempotency, { type IdempotencyOptions } from '../src/index.js';

/** A payment, sent by `user` under `key`. */
export interface Submission {
  readonly key?: string;
  readonly user?: string;
  readonly body?: object | string;
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface IdempotentApp {
  readonly app: FastifyInstance;
  /** The bodies that the handlers wrote. */
  readonly rows: unknown[];
  /** The warnings in the log. */
  readonly warnings: string[];
  submit(submission?: Submission): Promise<LightMyRequestResponse>;
}

/** A server with routes that write. A test may add its own before `ready`. The header x-user names the caller. */
export async function createIdempotentApp(
  options: IdempotencyOptions,
  addRoutes: (app: FastifyInstance, rows: unknown[]) => void = () => {},
  settings: FastifyServerOptions = {},
  registerBefore: (app: FastifyInstance) => void = () => {},
): Promise<IdempotentApp> {
  const rows: unknown[] = [];
  const warnings: string[] = [];
  const stream = { write: (line: string) => void warnings.push(JSON.parse(line).msg) };
  const app = Fastify({ logger: { level: 'warn', stream }, ...settings });
  onTestFinished(() => app.close());
  registerBefore(app);
  await app.register(idempotency, { principalOf: ({ headers }) => `user:${headers['x-user']}`, ...options });
  const config = { idempotency: true };
  app.post('/payments', { config }, async (request, reply) => {
    rows.push(request.body);
    return reply.code(201).send({ data: { id: rows.length } });
  });
  app.put('/payments', { config }, async (request) => ({ data: rows.push(request.body) }));
  app.post('/refunds', { config }, async (request) => ({ data: rows.push(request.body) }));
  app.put('/payments/:id', { config }, async (request) => ({ data: rows.push(request.params) }));
  addRoutes(app, rows);
  await app.ready();

  return {
    app,
    rows,
    warnings,
    submit: ({ key, user = 'ada', body = { amount: '12.50' }, method = 'POST', url = '/payments', headers } = {}) =>
      app.inject({
        method,
        url,
        headers: {
          'x-user': user,
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
          ...headers,
        },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

export const newKey = (): string => randomUUID();

/** The number of answers by their code. */
export function tally(answers: readonly { statusCode: number; json(): { code?: string } }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = answer.statusCode < 300 ? 'done' : (answer.json().code ?? String(answer.statusCode));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
