import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { FastifyInstance, FastifyRequest, onErrorHookHandler, RouteOptions } from 'fastify';
import type { DescribedRoute } from './described-route.js';
import { type KnownRoute, knownRoutesOf } from './known-routes.js';
import { type ListedRoute, listRoutes } from './listed-routes.js';
import { misspeltMemberFaults } from './misspelt-members.js';
import { requireScope, type ScopedPlugin } from './plugin-scope.js';
import { labelsOf, methodsOf, RouteFaults, routeFault } from './route-faults.js';
import { observeRoutes } from './route-observer.js';

/** The result of reading a route. */
export interface RouteReading<Decision> {
  /** The plugin's decision for the route. Never undefined. */
  readonly decision: Decision;
  /**
   * Each fault stops the start. Faults don't name the route, because routes with the same fault are listed together.
   */
  readonly faults: readonly string[];
}

/** The description of a plugin. */
export interface CoverageOptions<Decision> extends ScopedPlugin {
  /** The option of the plugin that allows routes registered before it. */
  readonly allowEarlierRoutes: boolean;
  /** The members of a route's `config` that it reads. */
  readonly members: readonly string[];
  /** Whether a `config` declares a protection by these members. */
  readonly declares: (config: Readonly<Record<string, unknown>>) => boolean;
  /** Reads a route, once. */
  readonly read: (route: DescribedRoute) => RouteReading<Decision>;
  /** Adds hooks or settings of the plugin to the route itself. */
  readonly prepare?: (route: RouteOptions, decision: Decision) => void;
  /**
   * Whether the plugin's hooks alone protect a route that was registered before the plugin. If not, such a route that
   * declares a protection refuses its requests.
   */
  readonly coversEarlier: boolean;
  /**
   * Whether a route that declares nothing is none of the plugin's concern. Of the routes that were registered before
   * the plugin, only those that declare the protection then stop the start. If the application was created before this
   * package was loaded, they are not known, and refuse their requests instead. Default false.
   */
  readonly isOptIn?: boolean;
  /** Further faults, which do not belong to a route, when the application is ready. */
  readonly faultsWhenReady?: () => readonly string[];
}

/** The routes of a plugin. */
export interface CoveredRoutes<Decision> {
  /**
   * The decision of the request's route. Undefined for unknown paths, and for a route that was registered before the
   * plugin and declares nothing.
   *
   * @throws the plugin's setup error for a route whose declared protection is not in force
   */
  of(request: FastifyRequest): Decision | undefined;
}

/**
 * Reads every route of the plugin's scope, and stops the start if a declared protection is not in force: in an
 * encapsulated scope by mistake, on a route that was registered before the plugin, on a route outside of every scope of
 * the plugin, or after a later hook has undone it. Call it in the plugin, before its hooks are added.
 *
 * @example
 * ```ts
 * async function guard(app: FastifyInstance, given: { apiKey: string }): Promise<void> {
 *   const { apiKey } = readGuardOptions(given);
 *   const declares = ({ guarded }: DescribedRoute['config']) => guarded === true;
 *   const read = ({ config }: DescribedRoute) => ({ decision: declares(config), faults: [] });
 *   const place = { ...owner, scope: 'app', allowEarlierRoutes: false } as const;
 *   const routes = coverRoutes(app, { ...place, members: ['guarded'], declares, read, coversEarlier: true });
 *   app.addHook('onRequest', async function refuseStrangers(request, reply) {
 *     if (routes.of(request) && request.headers['x-api-key'] !== apiKey) return reply.code(401).send('Who are you?');
 *   });
 * }
 * ```
 *
 * @throws the plugin's setup error
 */
export function coverRoutes<Decision>(
  fastify: FastifyInstance,
  options: CoverageOptions<Decision>,
): CoveredRoutes<Decision> {
  const { subject, SetupError, scope, allowEarlierRoutes, members, declares, read, prepare } = options;
  requireScope(fastify, options);
  const { isOptIn = false } = options;
  const older = isOptIn ? [] : listRoutes(fastify).filter(isOrdinary);
  const optedIn = isOptIn ? knownRoutesOf(fastify).filter(({ route }) => declares(configOf(route))) : [];
  const earlier = [...namesOf(older), ...namesOfKnown(optedIn)];
  if (scope === 'app' && !allowEarlierRoutes && earlier.length > 0) {
    throw new SetupError(subject, [tooLate(earlier, { isOptIn })]);
  }

  const faults = new RouteFaults();
  const noted: { readonly route: RouteOptions; readonly url: string; readonly values: string }[] = [];
  const valuesOf = (route: RouteOptions) => members.map((member) => textOf(configOf(route)[member])).join();

  function note(route: RouteOptions): void {
    const { url } = route;
    const reading = read({ methods: methodsOf(route), url, config: configOf(route) });
    const misspelt = misspeltMemberFaults(configOf(route), members);
    for (const fault of [...misspelt, ...reading.faults]) faults.add(fault, route);
    route.config = Object.assign({}, route.config, { [key]: reading.decision });
    prepare?.(route, reading.decision);
    noted.push({ route, url, values: valuesOf(route) });
  }

  /** An onRoute hook that ran after the plugin's may have changed the members that the plugin read. */
  function noteChanged(): void {
    const names = members.map((member) => `config.${member}`).join(' or ');
    for (const { route, url, values } of noted) {
      if (Object.hasOwn(route.config ?? {}, key) && valuesOf(route) === values) continue;
      faults.add(
        `an onRoute hook that runs after the plugin's changes ${names}, or replaces config: add that hook before the ` +
          'plugin, in the same scope or around it. In a scope inside of it, write config at the routes',
        { method: route.method, url },
      );
    }
  }

  const mark = scope === 'encapsulated' && older.length > 0 ? markScope(fastify) : null;
  function olderInScope(): readonly ListedRoute[] {
    if (mark === null) return older;
    const keys = new Set(older.map((route) => route.key));
    return listRoutes(fastify).filter((route) => keys.has(route.key) && route.hooks.onError?.includes(mark));
  }

  const observation = observeRoutes(fastify, {
    subject,
    SetupError,
    declares,
    note,
    faultsWhenReady() {
      noteChanged();
      const found = [...namesOf(olderInScope()), ...namesOfKnown(optedIn)];
      if (found.length > 0 && allowEarlierRoutes) {
        fastify.log.warn({ routes: found }, `${subject}: these routes were registered before the plugin`);
      }
      return [
        ...(found.length > 0 && !allowEarlierRoutes ? [tooLate(found, { isOptIn })] : []),
        ...faults.texts(),
        ...(options.faultsWhenReady?.() ?? []),
      ];
    },
  });

  const { key } = observation;
  const late = new WeakMap<object, RouteReading<Decision>>();
  function ofOlder({ routeOptions }: FastifyRequest): Decision | undefined {
    const config = routeOptions.config as unknown as DescribedRoute['config'];
    const refuse = (reason: string) => new SetupError(subject, [routeFault(reason, routeOptions)]);
    if (!options.coversEarlier) {
      if (declares(config))
        throw refuse(
          'the route or its scope was registered before the plugin, and is not protected: register the plugin first',
        );
      return undefined;
    }
    let reading = late.get(config);
    if (reading === undefined) {
      reading = read({ methods: methodsOf(routeOptions), url: routeOptions.url ?? '', config });
      late.set(config, reading);
    }
    if (reading.faults.length === 0) return reading.decision;
    if (declares(config)) throw refuse(reading.faults.join('; '));
    if (!allowEarlierRoutes) throw refuse([...reading.faults, 'its scope was registered before the plugin'].join('; '));
    return undefined;
  }

  return {
    of(request) {
      if (request.is404) return undefined;
      const decision = Reflect.get(request.routeOptions.config, key) as Decision | undefined;
      return decision === undefined ? ofOlder(request) : decision;
    },
  };
}

/**
 * Names the routes of a scope, including those registered earlier. When the application is ready, the router lists the
 * hooks of each route. The hook runs only for errors, and does nothing.
 */
function markScope(fastify: FastifyInstance): string {
  const mark = `scope ${randomUUID()}`;
  const hook: onErrorHookHandler = (_request, _reply, _error, done) => done();
  fastify.addHook('onError', Object.defineProperty(hook, 'name', { value: mark }));
  return mark;
}

/**
 * Routes for OPTIONS alone may be registered earlier. @fastify/cors adds one, and is registered first so that refusals
 * get its headers.
 */
function isOrdinary({ method }: ListedRoute): boolean {
  return method !== 'OPTIONS';
}

function namesOf(routes: readonly ListedRoute[]): string[] {
  return labelsOf(routes.map(({ method, url }) => ({ methods: [method], url })));
}

function namesOfKnown(routes: readonly KnownRoute[]): string[] {
  return labelsOf(routes.map(({ route, url }) => ({ methods: methodsOf(route), url })));
}

function tooLate(routes: readonly string[], { isOptIn }: { readonly isOptIn: boolean }): string {
  return (
    `register it before every route${isOptIn ? ' that asks for it' : ''}; registered earlier: ${routes.join(', ')}. If ` +
    'it stands first in the code, write `await app.register(…)`: without `await`, Fastify runs a plugin after the code ' +
    'that follows. If these routes have to come first, give allowEarlierRoutes: true'
  );
}

function configOf({ config }: RouteOptions): DescribedRoute['config'] {
  return (config ?? {}) as unknown as DescribedRoute['config'];
}

/** Compared as text, because a hook may change a list in place. `inspect` is slow, and most values are plain. */
function textOf(value: unknown): string {
  const isPlain = value === null || (typeof value !== 'object' && typeof value !== 'function');
  return isPlain ? `${typeof value} ${String(value)}` : inspect(value, { depth: 3, maxArrayLength: null });
}
