import type { FastifyInstance } from 'fastify';
import { flag, type OptionRule, oneOf, type SetupErrorClass } from '../options/index.js';

/** The protected scope of a plugin: the whole application, or exactly the scope in which it is registered. */
export type PluginScope = 'app' | 'encapsulated';

/** The option `scope` of a plugin. Default `app`. */
export const scopeRule: OptionRule<PluginScope> = oneOf<PluginScope>(['app', 'encapsulated'], { default: 'app' });

/** The option `allowEarlierRoutes` of a plugin. Default false. */
export const earlierRoutesRule: OptionRule<boolean> = flag({ default: false });

/** A plugin and its intended scope. */
export interface ScopedPlugin {
  /** The plugin's short name, such as `auth-tokens`. */
  readonly subject: string;
  /** The class of its setup errors. */
  readonly SetupError: SetupErrorClass;
  /** The option `scope` of the plugin. */
  readonly scope: PluginScope;
}

/**
 * Refuses a plugin that is registered in an encapsulated scope without the option for it. Routes elsewhere would
 * silently lack the plugin.
 *
 * @param fastify the instance that the plugin received, unencapsulated by fastify-plugin
 * @throws the plugin's setup error
 */
export function requireScope(fastify: FastifyInstance, { subject, SetupError, scope }: ScopedPlugin): void {
  if (scope === 'encapsulated' || rootOf(fastify) === fastify) return;
  throw new SetupError(subject, [
    `it is registered inside ${nameOf(fastify)}, so the rest of the application would be without it. ` +
      'Wrap that plugin in fastify-plugin, such as `export default fp(async (app) => { … })`, or register this one ' +
      "on the root instance. If only the routes inside are meant, give scope: 'encapsulated'",
  ]);
}

/**
 * Refuses a plugin whose decorators already exist. Fastify's own error names neither the plugin nor a remedy.
 *
 * @throws the plugin's setup error
 */
export function requireFreeNames(
  fastify: FastifyInstance,
  { subject, SetupError }: Pick<ScopedPlugin, 'subject' | 'SetupError'>,
  names: { readonly fastify?: readonly string[]; readonly request?: readonly string[] },
): void {
  const taken = [
    ...(names.fastify ?? []).filter((name) => fastify.hasDecorator(name)).map((name) => `fastify.${name}`),
    ...(names.request ?? []).filter((name) => fastify.hasRequestDecorator(name)).map((name) => `request.${name}`),
  ];
  if (taken.length === 0) return;
  throw new SetupError(subject, [
    `${taken.join(' and ')} ${taken.length === 1 ? 'exists' : 'exist'} already: either ${subject} is registered twice, so remove one registration, or ` +
      'something else decorates it, so give that another name',
  ]);
}

/** The scopes from this one up to the root. Fastify derives the instance of a scope from that of its parent. */
export function scopesUpward(fastify: FastifyInstance): FastifyInstance[] {
  const scopes = [fastify];
  for (;;) {
    const parent: unknown = Object.getPrototypeOf(scopes.at(-1));
    if (!isInstance(parent)) return scopes;
    scopes.push(parent);
  }
}

/** The root instance of the application. */
export function rootOf(fastify: FastifyInstance): FastifyInstance {
  return scopesUpward(fastify).at(-1) as FastifyInstance;
}

/** Whether a scope is the other one, or lies inside of it. */
export function isWithin(scope: FastifyInstance, other: FastifyInstance): boolean {
  return scope === other || Object.prototype.isPrototypeOf.call(other, scope);
}

function isInstance(value: unknown): value is FastifyInstance {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'addHook') === 'function';
}

/** Names that compilers and Fastify give to plugins without a name. */
const NO_NAMES: readonly string[] = ['default', 'default_1', 'anonymous'];

/**
 * Fastify names a scope after its plugin, followed by the plugins that were registered in it. A function without a name
 * gets its source as the name.
 */
function nameOf(fastify: FastifyInstance): string {
  const name = fastify.pluginName.split(' -> ')[0]?.trim() ?? '';
  const isName = /^@?[\w$][\w$./-]*$/.test(name) && !NO_NAMES.includes(name);
  return isName ? `the plugin '${name}'` : 'a plugin without a name';
}
