import createValidators from '@fastify/ajv-compiler';
import createSerializers from '@fastify/fast-json-stringify-compiler';
import type { KnownToFormats } from './body-formats.js';

/** A part of a route with its schema, as Fastify gives it. */
interface SchemaUse {
  readonly schema?: unknown;
}

/**
 * Makes the compilers of validators, by the formats that they check. Compiling every schema takes a third of the start
 * time of an app, and the results depend only on the texts of the schemas. Apps with the same formats therefore share
 * them. Their number is that of the schemas in the code.
 */
const validatorFactories = new WeakMap<KnownToFormats, createValidators.BuildCompilerFromPool>();

/** Makes the compilers of serializers, which do not use formats of this server. All apps share them. */
export const buildSerializer = compilingOnce(createSerializers());

/**
 * Query values are texts and must be coerced to numbers. A JSON body has types, so a wrong type is refused and not
 * coerced. Unknown properties are also refused (HTTP-4); by default Ajv would silently remove them.
 */
export function strictBodies(known: KnownToFormats): createValidators.BuildCompilerFromPool {
  const build = validatorFactories.get(known) ?? compilingOnce(createValidators());
  validatorFactories.set(known, build);
  return (externalSchemas, options) => {
    const withCoercion = (coerceTypes: 'array' | false) => {
      const customOptions = { ...options?.customOptions, removeAdditional: false, coerceTypes };
      return build(externalSchemas, { ...options, customOptions } as typeof options);
    };
    const body = withCoercion(false);
    const others = withCoercion('array');
    return (route) => (isBody(route) ? body(route) : others(route));
  };
}

/** The declared parameter type is any schema. Fastify passes the definition of a part of the route. */
function isBody(route: unknown): boolean {
  return (route as { httpPart?: string }).httpPart === 'body';
}

/** Compiles schemas of the same text once for the same options. */
function compilingOnce<Options extends unknown[], Use, Compiled>(
  build: (...options: Options) => (use: Use) => Compiled,
): (...options: Options) => (use: Use) => Compiled {
  const compilers = new Map<string, (use: Use) => Compiled>();
  return function buildOnce(...options) {
    const key = JSON.stringify(options);
    const compiler = compilers.get(key) ?? memoizeBySchema(build(...options));
    compilers.set(key, compiler);
    return compiler;
  };
}

function memoizeBySchema<Use, Compiled>(compile: (use: Use) => Compiled): (use: Use) => Compiled {
  const results = new Map<string, Compiled>();
  return function compileOnce(use) {
    const text = JSON.stringify((use as SchemaUse).schema);
    const result = results.get(text) ?? compile(use);
    results.set(text, result);
    return result;
  };
}
