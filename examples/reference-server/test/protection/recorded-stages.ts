import type { TtlStore } from '@sallyport/ttl-store';
import type { RouteOptions } from 'fastify';
import type { App } from '../../src/app.js';

type Hook = (...values: unknown[]) => unknown;

/** The stages of a request, in Fastify's order. The record names hooks by their functions. */
const STAGES = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend'] as const;

export interface StageRecord {
  /** The names of what ran since the last call, in order of start. */
  take(): string[];
  /** Wraps counters so that each `increment` is recorded under the name. */
  recorded<Counters extends Pick<TtlStore, 'increment'>>(counters: Counters, name: string): Counters;
}

/**
 * Records which hooks and handlers run, and in which order. It wraps each of them when it is added to an empty app,
 * including hooks that plugins add to single routes.
 */
export function recordStages(app: App): StageRecord {
  let ran: string[] = [];
  const wrapped = new WeakSet<object>();
  const handled = new WeakSet<object>();

  function recorded(hook: Hook, name: string): Hook {
    if (wrapped.has(hook)) return hook;
    function wrapper(this: unknown, ...values: unknown[]): unknown {
      ran.push(name);
      return hook.apply(this, values);
    }
    wrapped.add(wrapper);
    return wrapper;
  }

  function recordRoute(route: RouteOptions): void {
    for (const stage of STAGES) {
      const hooks = [(route as unknown as Record<string, Hook | Hook[] | undefined>)[stage] ?? []].flat();
      // Only the hook of @fastify/rate-limit has no name here.
      if (hooks.length > 0)
        Object.assign(route, { [stage]: hooks.map((hook) => recorded(hook, hook.name || 'rateLimit')) });
    }
    // A plugin that wraps the route's handler does not add a second one.
    if (handled.has(route)) return;
    handled.add(route);
    route.handler = recorded(route.handler as Hook, 'handler') as typeof route.handler;
  }

  const original = app.addHook as (this: unknown, stage: string, hook: Hook) => App;
  app.addHook = function addRecordedHook(this: unknown, stage: string, hook: Hook) {
    if (stage === 'onRoute') {
      return original.call(this, stage, function recordedOnRoute(this: unknown, route: unknown) {
        hook.call(this, route);
        recordRoute(route as RouteOptions);
      });
    }
    // Only the instance hook of @fastify/multipart has no name.
    const isStage = (STAGES as readonly string[]).includes(stage);
    return original.call(this, stage, isStage ? recorded(hook, hook.name || 'multipart') : hook);
  } as typeof app.addHook;

  return {
    take() {
      const names = ran;
      ran = [];
      return names;
    },
    recorded: (counters, name) => ({
      ...counters,
      increment(...given: Parameters<TtlStore['increment']>) {
        ran.push(name);
        return counters.increment(...given);
      },
    }),
  };
}
