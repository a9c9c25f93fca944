import { Type } from '@fastify/type-provider-typebox';
import type { App } from '../app.js';

export interface HealthOptions {
  /** Each rejects when what it asks is away. */
  readonly checks: readonly (() => Promise<unknown>)[];
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** A finding is good for this long, in milliseconds, so that asking often costs the stores nothing. */
const FINDING_MILLIS = 500;

/**
 * `GET /actuator/health` (OPS-1): UP, or DOWN with 503; to anybody, in the clear, and without a limit that a store away
 * would turn into another answer.
 */
export async function healthRoute(app: App, { checks, now = Date.now }: HealthOptions): Promise<void> {
  let finding: { readonly isUp: Promise<boolean>; readonly until: number } | null = null;

  function isUp(): Promise<boolean> {
    if (finding === null || now() >= finding.until) {
      const answers = Promise.allSettled(checks.map((check) => check()));
      finding = {
        isUp: answers.then((outcomes) => outcomes.every(({ status }) => status === 'fulfilled')),
        until: now() + FINDING_MILLIS,
      };
    }
    return finding.isUp;
  }

  const health = Type.Object({ status: Type.Union([Type.Literal('UP'), Type.Literal('DOWN')]) });
  app.get(
    '/actuator/health',
    {
      config: { access: 'public', audit: false, rateLimit: false },
      schema: { response: { 200: health, 503: health } },
    },
    async function readHealth(_request, reply) {
      const up = await isUp();
      return reply.code(up ? 200 : 503).send({ status: up ? 'UP' : 'DOWN' });
    },
  );
}
