import { SetupError } from '@sallyport/plugin-kit/options';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { DescribedRoute } from '../../src/routes/index.js';

class GuardSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('GUARD_SETUP_INVALID', subject, faults);
  }
}

/** The plugin as it comes with one copy of this package in `node_modules`. */
async function loadGuard(): Promise<(scope: FastifyInstance) => void> {
  vi.resetModules();
  const { coverRoutes } = await import('../../src/routes/index.js');
  return function guard(scope) {
    const place = { subject: 'guard', SetupError: GuardSetupError, scope: 'encapsulated' } as const;
    const declares = (config: DescribedRoute['config']) => config.guarded === true;
    const read = ({ config }: DescribedRoute) => ({ decision: declares(config), faults: [] });
    const routes = coverRoutes(scope, {
      ...place,
      allowEarlierRoutes: false,
      members: ['guarded'],
      declares,
      read,
      coversEarlier: true,
    });
    scope.addHook('onRequest', async (request, reply) => {
      if (routes.of(request)) return reply.code(401).send('guarded');
      return undefined;
    });
  };
}

it('ADP-2 two scopes with the plugin from two copies of the package each protect their own', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const config = { guarded: true } as object;
  const [one, two] = [await loadGuard(), await loadGuard()];
  for (const [url, guard] of [
    ['/one', one],
    ['/two', two],
  ] as const) {
    await app.register(async (scope) => {
      guard(scope);
      scope.get(url, { config }, async () => 1);
    });
  }
  await app.ready();
  expect((await app.inject('/one')).payload).toBe('guarded');
  expect((await app.inject('/two')).payload).toBe('guarded');
});
