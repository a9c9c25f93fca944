import { type TSchema, Type } from '@fastify/type-provider-typebox';
import { validate as isUuid } from 'uuid';
import { NotFoundError } from './errors.js';

/** HTTP-1: pages of 1 to 200, 20 unless told. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  size: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
};

/** The answer of a list. */
export function listOf<Item extends TSchema>(item: Item) {
  const page = Type.Object({ number: Type.Integer(), size: Type.Integer(), total: Type.Integer() });
  return Type.Object({ data: Type.Array(item), page });
}

/** The answer with one thing. */
export function oneOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: item });
}

export const idParams = Type.Object({ id: Type.String({ maxLength: 100 }) });

export const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/**
 * An id out of a path, in the one form that ids are compared in.
 *
 * @throws {NotFoundError} Nothing has an id of another form.
 */
export function readId({ id }: { readonly id: string }): string {
  if (!isUuid(id)) throw new NotFoundError();
  return id.toLowerCase();
}
