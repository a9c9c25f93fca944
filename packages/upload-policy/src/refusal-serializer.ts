import { ownCompilers } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { uploadRefusalSchema } from './refusal-schema.js';

/**
 * An `onRoute` hook. Where the application has a compiler of its own for answers, which may not know JSON schemas, such
 * as that of a type provider for zod, it gives the route one that knows `uploadRefusalSchema` as well.
 */
export function serializeRefusals(this: FastifyInstance, route: RouteOptions): void {
  const given = route.serializerCompiler ?? this.serializerCompiler;
  if (given === undefined || !hasRefusalSchema(route)) return;
  route.serializerCompiler = (use) => (isRefusalSchema(use.schema) ? ownCompilers.serializerCompiler(use) : given(use));
}

function hasRefusalSchema({ schema }: RouteOptions): boolean {
  const { response } = schema ?? {};
  return typeof response === 'object' && response !== null && Object.values(response).some(isRefusalSchema);
}

function isRefusalSchema(schema: unknown): boolean {
  return schema === uploadRefusalSchema;
}
