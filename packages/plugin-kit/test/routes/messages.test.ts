import { SetupError } from '@sallyport/plugin-kit/options';
import Fastify, { type FastifyPluginAsync } from 'fastify';
import { describe, expect, it } from 'vitest';
import { requireScope } from '../../src/routes/plugin-scope.js';
import { labelsOf } from '../../src/routes/route-faults.js';

class ExampleSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('EXAMPLE_SETUP_INVALID', subject, faults);
  }
}

describe('the name of the scope in a refusal', () => {
  /** What is said of a plugin that is registered in this one. */
  async function refusalIn(plugin: FastifyPluginAsync): Promise<string> {
    const app = Fastify();
    const started = app.register(plugin).ready();
    return Promise.resolve(started).then(
      () => '',
      (error: Error) => error.message,
    );
  }
  const check: FastifyPluginAsync = async (scope) =>
    requireScope(scope, { subject: 'example', SetupError: ExampleSetupError, scope: 'app' });
  const named = (name: string): FastifyPluginAsync =>
    Object.defineProperty((app, options) => check(app, options), 'name', { value: name });

  it.each(['orders', 'orders-plugin', '@team/orders'])('ADP-2 is that of the plugin: %s', async (name) => {
    expect(await refusalIn(named(name))).toContain(`registered inside the plugin '${name}', so`);
  });

  it.each(['', 'default', 'default_1', 'anonymous'])('ADP-2 is not one that nobody gave: "%s"', async (name) => {
    expect(await refusalIn(named(name))).toContain('registered inside a plugin without a name, so');
  });
});

describe('the labels of routes', () => {
  const labels = (...routes: string[]) =>
    labelsOf(
      routes.map((route) => {
        const [methods = '', url = ''] = route.split(' ');
        return { methods: methods.split(','), url };
      }),
    );

  it('ADP-2 leave HEAD out beside GET of the same URL, with or without a slash', () => {
    expect(labels('HEAD,GET /public/*')).toEqual(['GET /public/*']);
    expect(labels('GET /docs', 'HEAD /docs/', 'HEAD /docs', 'GET /', 'HEAD /')).toEqual(['GET /docs', 'GET /']);
    expect(labels('HEAD,POST /a', 'GET /a')).toEqual(['POST /a', 'GET /a']);
  });

  it('ADP-2 keep HEAD without GET', () => {
    expect(labels('HEAD /only', 'GET /other')).toEqual(['HEAD /only', 'GET /other']);
  });
});
