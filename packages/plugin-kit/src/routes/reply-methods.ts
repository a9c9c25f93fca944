import type { FastifyInstance, FastifyReply } from 'fastify';

type Method = 'hijack' | 'send' | 'then';

type MethodOf<Name extends Method> = FastifyReply[Name];

/** The same with `this`. It also runs for requests that it does not concern, and finds its state by `this.request`. */
type Replacement<Name extends Method> = (
  this: FastifyReply,
  ...given: Parameters<MethodOf<Name>>
) => ReturnType<MethodOf<Name>>;

/**
 * Replaces a method of the replies of an application, once for all of its requests. Where each reply gets the method as
 * a property of its own, V8 compiles the code of Fastify for several shapes of replies, and requests outlive the
 * collection of young objects.
 *
 * @param mark names the replacement: an application gets it once
 * @returns a function for the replies that need it, to be called in a hook
 */
export function replaceReplyMethod<Name extends Method>(
  fastify: FastifyInstance,
  mark: symbol,
  name: Name,
  replace: (original: MethodOf<Name>) => Replacement<Name>,
): (reply: FastifyReply) => void {
  // Without a decorator, Fastify makes the replies of the application from the class of all applications.
  fastify.decorateReply(Symbol(name), { getter: () => mark });
  function replaceIn(holder: object): void {
    const value = replace(Reflect.get(holder, name));
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  }
  let owner: object | null = null;
  return function replaceOnce(reply) {
    owner ??= ownerOfMethods(reply);
    if (owner === null) return replaceIn(reply);
    if (!Object.hasOwn(owner, mark)) {
      replaceIn(owner);
      Object.defineProperty(owner, mark, { value: true });
    }
    // A hook before, or the scope, has given the reply another method, which may not call the replaced one.
    if (Reflect.get(reply, name) !== Reflect.get(owner, name)) replaceIn(reply);
  };
}

/**
 * The prototype of all replies of an application, and of no other: the class of each scope is derived from that of its
 * parent, and at last from that of Fastify. Null where Fastify has made no class for the application.
 */
function ownerOfMethods(reply: FastifyReply): object | null {
  const inherited: object[] = [];
  for (let next = Object.getPrototypeOf(reply); next !== null; next = Object.getPrototypeOf(next)) inherited.push(next);
  return inherited.at(-3) ?? null;
}
