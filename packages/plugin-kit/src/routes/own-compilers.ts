import createValidators from '@fastify/ajv-compiler';
import createSerializers from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';

/** The compilers of a route. */
export interface RouteCompilers {
  readonly validatorCompiler: FastifySchemaCompiler<object>;
  readonly serializerCompiler: FastifySerializerCompiler<object>;
}

/**
 * Compilers for the JSON schemas of a package's own routes, as options of the route. The compilers of the application
 * may be for schemas of another kind, such as those of zod. A query has texts, which are coerced to numbers; a body is
 * not coerced. What a schema does not know is refused.
 */
export const ownCompilers: RouteCompilers = {
  validatorCompiler: (use) => (use.httpPart === 'body' ? body() : others())(use),
  serializerCompiler: (use) => serializer()(use),
};

const body = once(() => validator({ coerceTypes: false }));
const others = once(() => validator({ coerceTypes: 'array' }));
const serializer = once(() => createSerializers()({}) as FastifySerializerCompiler<object>);

/** The declared parameter of such a compiler is any schema. Fastify passes the definition of a part of the route. */
function validator(options: { readonly coerceTypes: false | 'array' }): FastifySchemaCompiler<object> {
  const customOptions = { ...options, removeAdditional: false };
  return createValidators()({}, { customOptions }) as unknown as FastifySchemaCompiler<object>;
}

/** An application without such routes makes no compiler. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
