import { SetupError } from '@sallyport/plugin-kit/options';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { askDecision, coverRoutes, type DescribedRoute, requireFreeNames } from '../../src/routes/index.js';

class GuardSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('GUARD_SETUP_INVALID', subject, faults);
  }
}
const place = { subject: 'guard', SetupError: GuardSetupError } as const;

/** Starts an application with one route, whose `config` a plugin reads. */
async function start(config: object): Promise<void> {
  const app = Fastify();
  coverRoutes(app, {
    ...{ ...place, scope: 'app', allowEarlierRoutes: false, coversEarlier: true },
    members: ['access', 'permission'],
    declares: () => false,
    read: () => ({ decision: true, faults: [] }),
  });
  app.get('/users', { config }, async () => 'x');
  await app.ready();
  await app.close();
}

describe('members of config', () => {
  it.each([
    ['permissions', 'permission'],
    ['Permission', 'permission'],
    ['permision', 'permission'],
    ['acces', 'access'],
  ])('ADP-2 refuses config.%s, which was meant to be %s', async (given, meant) => {
    await expect(start({ [given]: 'b' })).rejects.toThrow(
      `GET /users: config.${given} is not known; did you mean config.${meant}?`,
    );
  });

  it('ADP-2 leaves members of other plugins alone', async () => {
    await start({ rateLimit: {}, accessibility: 'AA', success: true, emission: 1, url2: 'x' });
    await start({ permission: undefined, permissions: ['of another plugin'] });
  });
});

describe('decide', () => {
  const route: DescribedRoute = { methods: ['GET'], url: '/docs', config: {} };

  it('ADP-3 receives the route, and its decision is taken', () => {
    expect(askDecision((asked) => asked, route)).toEqual({ given: { methods: ['GET'], url: '/docs' }, faults: [] });
  });

  it('ADP-3 is a fault of the route if it throws or returns a promise', async () => {
    const thrown = askDecision(() => {
      throw new Error('no table');
    }, route);
    expect(thrown.faults).toEqual(['the option decide throws: no table']);
    const promised = askDecision(() => Promise.reject(new Error('late')), route);
    expect(promised.faults[0]).toContain('returns a promise');
    await new Promise(setImmediate); // An unhandled rejection would fail the run.
  });
});

describe('names', () => {
  it('ADP-2 that are taken are refused, with the name of the plugin and a way out', () => {
    const app = Fastify();
    const names = { fastify: ['guard'], request: ['visitor'] };
    requireFreeNames(app, place, names);
    app.decorateRequest('visitor', null);
    expect(() => requireFreeNames(app, place, names)).toThrow(/^guard: request\.visitor exists already.*another name$/);
  });
});
