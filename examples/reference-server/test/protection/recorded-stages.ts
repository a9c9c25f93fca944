import type { TtlStore } from '@sallyport/ttl-store';
import type { RouteOptions } from 'fastify';
import type { App } from '../../src/app.js';

type Hook = (...values: unknown[]) => unknown;

/** The stages of a request, in Fastify's order; what a hook is called in the record is its function's own name. */
const STAGES = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend'] as const;

export interface StageRecord {
  /** What ran since the last call, by name, in the order in which it began. */
  take(): string[];
  /** The same counters; each `increment` is recorded under the name, so that the order shows when they are asked. */
  recorded<Counters extends Pick<TtlStore, 'increment'>>(counters: Counters, name: string): Counters;
}

/**
 * Records which hooks and handlers really run, and in which order: by wrapping each of them as it is added to an app
 * that has nothing on it yet, those that plugins put on single routes included.
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
      // The limit of @fastify/rate-limit is the one hook here without a name.
      if (hooks.length > 0)
        Object.assign(route, { [stage]: hooks.map((hook) => recorded(hook, hook.name || 'rateLimit')) });
    }
    // A plugin that puts a handler of its own around the route's makes no second handler of it.
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
    // The hook of @fastify/multipart is the one of the instance without a name.
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
