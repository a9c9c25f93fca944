import type { SetupErrorClass } from '@sallyport/options';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isWithin, REGISTERED_ALREADY, rootOf, scopesUpward } from './plugin-scope.js';
import { RouteFaults } from './route-faults.js';

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

/** The registrations of one plugin in one application, and what they don't cover. */
interface Observation {
  /** Under it, the `config` of a covered route holds its decision. */
  readonly key: symbol;
  readonly registrations: Placed[];
  readonly outside: { readonly route: RouteOptions; readonly scope: FastifyInstance }[];
  readonly observe: (this: FastifyInstance, route: RouteOptions) => void;
  readonly observedScopes: WeakSet<FastifyInstance>;
}

/** By the root instance, and by the plugin. */
const observations = new WeakMap<FastifyInstance, Map<string, Observation>>();

/**
 * Observes the routes of the whole application for a plugin. A route goes to the registration in whose scope it lies. A
 * route that lies in none and declares a protection stops the start. Requirement ADP-2.
 */
export function observeRoutes(fastify: FastifyInstance, registration: Registration): Pick<Observation, 'key'> {
  const { subject, SetupError } = registration;
  const scopes = scopesUpward(fastify);
  const root = scopes.at(-1) as FastifyInstance;
  const ofRoot = observations.get(root) ?? new Map<string, Observation>();
  observations.set(root, ofRoot);
  const observation = ofRoot.get(subject) ?? beginObservation(root, registration);
  ofRoot.set(subject, observation);

  const others = observation.registrations.map((other) => other.fastify);
  if (others.some((other) => isWithin(fastify, other))) throw new SetupError(subject, [REGISTERED_ALREADY]);
  if (others.some((other) => isWithin(other, fastify))) {
    throw new SetupError(subject, ['it is registered already, in a scope inside of this one']);
  }
  observation.registrations.push({ ...registration, fastify });
  // A scope takes the hooks of its parent when it is made, so each one on the way to the root needs the hook itself.
  for (const scope of scopes.filter((one) => !observation.observedScopes.has(one))) {
    scope.addHook('onRoute', observation.observe);
    observation.observedScopes.add(scope);
  }
  return observation;
}

/**
 * Refuses requests to routes that are older than the observation and declare a protection that nothing gives them:
 * their `config` is not seen before the first request. Requirement ADP-2.
 */
export function refuseUncovered(
  fastify: FastifyInstance,
  { key }: Pick<Observation, 'key'>,
  { subject, SetupError, declares }: Pick<Registration, 'subject' | 'SetupError' | 'declares'>,
): void {
  rootOf(fastify).addHook('onRequest', function refuseUncoveredRoute(request, _reply, done) {
    const { method, url, config } = request.routeOptions;
    const isUncovered = !request.is404 && !(key in config) && declares(config as unknown as Record<string, unknown>);
    const fault = `${[method].flat().join(', ')} ${url}: its config asks for the plugin, which is registered in another scope`;
    done(isUncovered ? new SetupError(subject, [fault]) : undefined);
  });
}

function beginObservation(root: FastifyInstance, { subject, SetupError }: Registration): Observation {
  const seen = new WeakSet<RouteOptions>();
  const observation: Observation = {
    key: Symbol(`@sallyport/${subject}: decision`),
    registrations: [],
    outside: [],
    observedScopes: new WeakSet(),
    observe(route) {
      if (seen.has(route)) return;
      seen.add(route);
      const registration = observation.registrations.find(({ fastify }) => isWithin(this, fastify));
      if (registration === undefined) observation.outside.push({ route, scope: this });
      else registration.note(route);
    },
  };
  root.addHook('onReady', async function refuseUnprotected() {
    const faults = [
      ...observation.registrations.flatMap((registration) => registration.faultsWhenReady()),
      ...faultsOutside(observation),
    ];
    if (faults.length > 0) throw new SetupError(subject, faults);
  });
  return observation;
}

/** Routes in the scope of a registration are older than it: the registration reports them itself. */
function faultsOutside({ registrations, outside }: Observation): string[] {
  const faults = new RouteFaults();
  for (const { route, scope } of outside) {
    const config = (route.config ?? {}) as unknown as Readonly<Record<string, unknown>>;
    if (registrations.some(({ fastify }) => isWithin(scope, fastify))) continue;
    if (registrations[0]?.declares(config)) {
      faults.add('its config asks for the plugin, which is registered only in other scopes', route);
    }
  }
  return faults.texts();
}
