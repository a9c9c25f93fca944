import { type TSchema, Type } from '@fastify/type-provider-typebox';
import { validate as isUuid } from 'uuid';
import { NotFoundError } from './errors.js';

/** HTTP-1: pages of 1 to 200 items. Default 20. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  size: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
};

/** The schema of a list answer. */
export function listOf<Item extends TSchema>(item: Item) {
  const page = Type.Object({ number: Type.Integer(), size: Type.Integer(), total: Type.Integer() });
  return Type.Object({ data: Type.Array(item), page });
}

/** The schema of an answer with one item. */
export function oneOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: item });
}

export const idParams = Type.Object({ id: Type.String({ maxLength: 100 }) });

export const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/**
 * Reads an id from a path and normalises it.
 *
 * @throws {NotFoundError} if it is not a UUID, because no resource has such an id
 */
export function readId({ id }: { readonly id: string }): string {
  if (!isUuid(id)) throw new NotFoundError();
  return id.toLowerCase();
}
