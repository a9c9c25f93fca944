import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isWithin, rootOf } from './plugin-scope.js';

/** A route with the scope in which it was registered. Hooks may still change its options. */
export interface KnownRoute {
  readonly route: RouteOptions;
  /** The URL, which Fastify changes in `route` when it adds the same route with a slash at its end. */
  readonly url: string;
  readonly scope: FastifyInstance;
}

type KnownRoutes = WeakMap<FastifyInstance, KnownRoute[]>;

/** All copies of this package share it, so that an application is observed once. */
const SHARED = Symbol.for('@sallyport/plugin-kit/routes: known routes 1');

/** Keyed by the root instance. */
const known: KnownRoutes = Reflect.get(globalThis, SHARED) ?? observeApplications();
Reflect.set(globalThis, SHARED, known);

/** Fastify has no list of routes with their `config`, but it publishes each application before its first route. */
function observeApplications(): KnownRoutes {
  const routes: KnownRoutes = new WeakMap();
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const ofRoot: KnownRoute[] = [];
    routes.set(fastify, ofRoot);
    fastify.addHook('onRoute', function knowRoute(this: FastifyInstance, route) {
      ofRoot.push({ route, url: route.url, scope: this });
    });
  });
  return routes;
}

/**
 * The routes that a scope has so far, those of its inner scopes included. Empty for an application that was created
 * before this package was loaded: its routes are not known.
 */
export function knownRoutesOf(fastify: FastifyInstance): readonly KnownRoute[] {
  return (known.get(rootOf(fastify)) ?? []).filter(({ scope }) => isWithin(scope, fastify));
}
