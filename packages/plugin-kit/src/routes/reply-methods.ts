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
  let isReplaced = false;
  return function replaceOnce(reply) {
    if (isReplaced) return;
    const owner = ownerOfMethods(reply);
    isReplaced = owner !== reply;
    if (Object.hasOwn(owner, mark)) return;
    const value = replace(Reflect.get(owner, name));
    Object.defineProperties(owner, { [name]: { value, configurable: true, writable: true }, [mark]: { value: true } });
  };
}

/**
 * The prototype of all replies of an application, and of no other: the class of each scope is derived from that of its
 * parent, and at last from that of Fastify. The reply itself where Fastify has made no class for the application.
 */
function ownerOfMethods(reply: FastifyReply): object {
  const inherited: object[] = [];
  for (let next = Object.getPrototypeOf(reply); next !== null; next = Object.getPrototypeOf(next)) inherited.push(next);
  return inherited.at(-3) ?? reply;
}
