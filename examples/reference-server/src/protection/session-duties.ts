import { type SQL, sql } from 'drizzle-orm';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type Database, withinLimit } from '../storage/database.js';
import { rowsOf } from '../storage/schema-target.js';
import { PasswordChangeRequiredError } from './errors.js';
import type { FactorDuty, FactorQuestion } from './factor-duty.js';
import type { PasswordDuty } from './password-duty.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The refusal of the principal of a request that at this moment lacks a factor, or has to change the password
     * first. Null: there is none. For principals that a handler has found itself: no hook has seen them.
     */
    findUnmetDuty(request: FastifyRequest): Promise<Error | null>;
    /**
     * Refuses the request if its session has ended, lost its permission or got an unmet duty since the hooks saw it.
     * For requests and answers that go on for long. It keeps no session alive.
     */
    confirmStillServed(request: FastifyRequest): Promise<void>;
  }
}

export interface SessionDutiesOptions {
  readonly factorDuty: FactorDuty;
  readonly passwordDuty: PasswordDuty;
  readonly database: Pick<Database, 'orm'>;
}

type Asked<Question> = Question | null | Promise<Question | null>;

interface Found {
  readonly enrolled: boolean;
  readonly reason: string | null;
}

const NOT_ASKED: Found = { enrolled: false, reason: null };

/**
 * Refuses the requests of a session with an unmet duty on every route: the hook follows the authorization, and no route
 * opts in. One function asks for all duties, so none is forgotten in one place. The access fence asks again in the
 * transaction of each change. While no rule is in force, it asks the database nothing.
 */
async function sessionDutiesPlugin(app: FastifyInstance, options: SessionDutiesOptions): Promise<void> {
  const { factorDuty, passwordDuty, database } = options;

  /** One statement for both. */
  async function read(enrolled: SQL, reason: SQL): Promise<Found> {
    const statement = sql`select (${enrolled}) as enrolled, (${reason}) as reason`;
    const [found] = await withinLimit(rowsOf<Found>(database.orm, statement));
    return found!;
  }

  async function ask(factor: Asked<FactorQuestion>, password: Asked<SQL>): Promise<Error | null> {
    const [question, reasonQuery] = await Promise.all([factor, password]);
    const enrolledQuery = question?.query ?? null;
    const { enrolled, reason } =
      enrolledQuery === null && reasonQuery === null
        ? NOT_ASKED
        : await read(enrolledQuery ?? sql`false`, reasonQuery ?? sql`null::text`);
    return question?.refusal(enrolled) ?? (reason === null ? null : new PasswordChangeRequiredError());
  }

  async function refuse(asked: Promise<Error | null>): Promise<void> {
    const refusal = await asked;
    if (refusal !== null) throw refusal;
  }

  const findUnmetDuty = (request: FastifyRequest) =>
    ask(factorDuty.questionFor(request), passwordDuty.queryFor(request));

  app.decorate('findUnmetDuty', findUnmetDuty);
  app.decorate('confirmStillServed', async (request) => {
    await app.authTokens.confirm(request);
    await refuse(findUnmetDuty(request));
  });

  app.addHook('onRequest', function requireDuties(request, _reply, done) {
    const factor = factorDuty.questionFor(request);
    const password = passwordDuty.queryFor(request);
    return factor === null && password === null ? done() : refuse(ask(factor, password));
  });

  // The body decides.
  app.addHook('preHandler', function requireStepUp(request, _reply, done) {
    if (typeof request.routeOptions.config?.stepUp !== 'function') return done();
    const factor = factorDuty.questionFor(request);
    return factor === null ? done() : refuse(ask(factor, null));
  });
}

export const sessionDuties = fp(sessionDutiesPlugin, {
  fastify: '5.x',
  name: 'session-duties',
  decorators: { request: ['principal'] },
  dependencies: ['@sallyport/auth-tokens'],
});
