import type { FastifyInstance, RouteOptions } from 'fastify';
import type { SetupErrorClass } from '../options/index.js';
import { isWithin, scopesUpward } from './plugin-scope.js';
import { RouteFaults, routeFault } from './route-faults.js';
import { guardStart } from './start-refusal.js';

/** One registration of a plugin. */
export interface Registration {
  readonly subject: string;
  readonly SetupError: SetupErrorClass;
  readonly declares: (config: Readonly<Record<string, unknown>>) => boolean;
  /** Receives each route of its scope, before Fastify builds it. */
  readonly note: (route: RouteOptions) => void;
  readonly faultsWhenReady: () => readonly string[];
}

interface Placed extends Registration {
  readonly fastify: FastifyInstance;
}

/** The registrations of one plugin in one application, and the routes that they don't cover. */
interface Observation {
  /** The key under which the `config` of a covered route holds its decision. */
  readonly key: symbol;
  readonly registrations: Placed[];
  readonly outside: { readonly route: RouteOptions; readonly url: string; readonly scope: FastifyInstance }[];
  readonly observe: (this: FastifyInstance, route: RouteOptions) => void;
  readonly observedScopes: WeakSet<FastifyInstance>;
  /** Whether requests to uncovered routes are refused. Not needed while the whole application is covered. */
  refusesUncovered: boolean;
}

type Observations = WeakMap<FastifyInstance, Map<string, Observation>>;

/** All copies of this package in an application share it, so that they see the same routes. */
const SHARED = Symbol.for('@sallyport/plugin-kit/routes: observations 1');

const WAY_IN =
  'register it on the root instance, or in the scope of this route as well; or take the setting out of config';

/** Keyed by the root instance, then by the plugin. */
const observations: Observations = Reflect.get(globalThis, SHARED) ?? new WeakMap();
Reflect.set(globalThis, SHARED, observations);

/**
 * Observes the routes of the whole application for a plugin. Each route is passed to the registration whose scope
 * contains it. A route outside of all scopes that declares a protection stops the start.
 */
export function observeRoutes(fastify: FastifyInstance, registration: Registration): Pick<Observation, 'key'> {
  const { subject, SetupError } = registration;
  const scopes = scopesUpward(fastify);
  const root = scopes.at(-1) as FastifyInstance;
  const ofRoot = observations.get(root) ?? new Map<string, Observation>();
  observations.set(root, ofRoot);
  const observation = ofRoot.get(subject) ?? beginObservation(root, registration);
  ofRoot.set(subject, observation);

  if (observation.registrations.some((other) => isWithin(fastify, other.fastify) || isWithin(other.fastify, fastify))) {
    throw new SetupError(subject, [
      'it is registered already in this scope, or around it, or inside of it: remove one registration',
    ]);
  }
  observation.registrations.push({ ...registration, fastify });
  // A scope copies the hooks of its parent when it is made, so each scope on the way to the root needs the hook.
  for (const scope of scopes.filter((one) => !observation.observedScopes.has(one))) {
    scope.addHook('onRoute', observation.observe);
    observation.observedScopes.add(scope);
  }
  if (fastify !== root && !observation.refusesUncovered) {
    observation.refusesUncovered = true;
    refuseUncovered(root, observation, registration);
  }
  return observation;
}

/**
 * Refuses requests to routes that declare a protection and lie in no registration's scope. Some are not seen at the
 * start: routes that were added before the first registration, and routes that are added later to a scope from before
 * it. Requirement ADP-2.
 */
function refuseUncovered(
  root: FastifyInstance,
  { registrations }: Pick<Observation, 'registrations'>,
  { subject, SetupError, declares }: Pick<Registration, 'subject' | 'SetupError' | 'declares'>,
): void {
  // Fastify calls the hook with the instance of the route's scope as `this`.
  root.addHook('onRequest', function refuseUncoveredRoute(request, _reply, done) {
    if (request.is404 || registrations.some(({ fastify }) => isWithin(this, fastify))) return done();
    if (!declares(request.routeOptions.config as unknown as Record<string, unknown>)) return done();
    const fault = `its config asks for the plugin, which is registered in another scope: ${WAY_IN}`;
    done(new SetupError(subject, [routeFault(fault, request.routeOptions)]));
  });
}

function beginObservation(root: FastifyInstance, { subject, SetupError }: Registration): Observation {
  const refusal = guardStart(root);
  const seen = new WeakSet<RouteOptions>();
  const observation: Observation = {
    key: Symbol(`@sallyport/${subject}: decision`),
    registrations: [],
    outside: [],
    observedScopes: new WeakSet(),
    refusesUncovered: false,
    observe(route) {
      if (seen.has(route)) return;
      seen.add(route);
      const registration = observation.registrations.find(({ fastify }) => isWithin(this, fastify));
      if (registration === undefined) observation.outside.push({ route, url: route.url, scope: this });
      else registration.note(route);
    },
  };
  root.addHook('onReady', async function refuseUnprotected() {
    const faults = [
      ...observation.registrations.flatMap((registration) => registration.faultsWhenReady()),
      ...faultsOutside(observation),
    ];
    if (faults.length === 0) return;
    refusal.reason ??= new SetupError(subject, faults);
    throw refusal.reason;
  });
  return observation;
}

/** Routes in the scope of a registration were registered before it. The registration reports them itself. */
function faultsOutside({ registrations, outside }: Observation): string[] {
  const faults = new RouteFaults();
  for (const { route, url, scope } of outside) {
    const config = (route.config ?? {}) as unknown as Readonly<Record<string, unknown>>;
    if (registrations.some(({ fastify }) => isWithin(scope, fastify))) continue;
    if (registrations[0]?.declares(config)) {
      faults.add(`its config asks for the plugin, which is registered only in other scopes: ${WAY_IN}`, {
        method: route.method,
        url,
      });
    }
  }
  return faults.texts();
}
