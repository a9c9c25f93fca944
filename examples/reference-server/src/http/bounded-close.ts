import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import type { FastifyInstance } from 'fastify';

type CloseHook = (this: FastifyInstance, app: FastifyInstance, done: (error?: Error) => void) => unknown;
type AddHook = (this: FastifyInstance, name: string, hook: CloseHook) => FastifyInstance;

/**
 * Bounds every `onClose` hook that is added afterwards, including those of plugins. A part that does not close, such as
 * a client of an unavailable store, keeps neither the other parts nor the caller waiting (OPS-7). Fastify has no such
 * bound.
 *
 * @param limitMillis the limit of each hook, in milliseconds
 */
export function boundCloseHooks(app: FastifyInstance, limitMillis: number): void {
  const addHook = app.addHook as unknown as AddHook;
  const addBounded: AddHook = function addBounded(name, hook) {
    const isHook = name === 'onClose' && typeof hook === 'function';
    return addHook.call(this, name, isHook ? bounded(hook, limitMillis) : hook);
  };
  // Scopes inside of this one inherit it.
  Object.assign(app, { addHook: addBounded });
}

class StillClosingError extends Error {
  override readonly name = 'StillClosingError';
}

function bounded(hook: CloseHook, limitMillis: number): CloseHook {
  return async function closeInTime(this: FastifyInstance, app) {
    const late = () => new StillClosingError(`${hook.name || 'an onClose hook'} has not ended in ${limitMillis} ms`);
    try {
      await withinDeadline(run(hook, this, app), limitMillis, late);
    } catch (err) {
      if (!(err instanceof StillClosingError)) throw err;
      app.log.warn({ err }, 'a part of the server was left unclosed');
    }
  } as CloseHook;
}

async function run(hook: CloseHook, scope: FastifyInstance, app: FastifyInstance): Promise<void> {
  if (hook.length < 2) {
    await hook.call(scope, app, () => {});
    return;
  }
  await new Promise<void>((resolve, reject) => {
    hook.call(scope, app, (error) => (error ? reject(error) : resolve()));
  });
}
