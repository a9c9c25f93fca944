import { type TSchema, Type } from 'typebox';
import { validate as isUuid } from 'uuid';
import { NotFoundError, QueryInvalidError } from './errors.js';

/** HTTP-1: pages of 1 to 200 items. Default 20. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  size: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
};

const page = Type.Object(
  { number: Type.Integer(), size: Type.Integer(), total: Type.Integer() },
  { title: 'Page', description: 'The page of a list: its number from 1, its size, and how many items there are.' },
);

/**
 * Pages by number or by cursor. `after` is the `next` of the previous page. With it, the number is ignored. Pages by
 * cursor don't shift while items are added.
 */
export const cursorQuery = { ...pageQuery, after: Type.Optional(Type.String({ maxLength: 500 })) };

const cursorPage = Type.Object(
  {
    number: Type.Optional(Type.Integer()),
    size: Type.Integer(),
    total: Type.Optional(Type.Integer()),
    /** False if there are more than `total`. */
    totalIsExact: Type.Optional(Type.Boolean()),
    next: Type.Union([Type.String(), Type.Null()]),
  },
  {
    title: 'CursorPage',
    description:
      'The page of a long list. `next` is the `after` of the next page, or null at the end. `number` and `total` are ' +
      'there unless the page was asked for by `after`; `totalIsExact` is there if counting ends at a limit.',
  },
);

/**
 * The schema of the answer of a list with cursors.
 *
 * @param item its `title` is the name
 */
export function cursorListOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), page: cursorPage }, { title: `${nameOf(item)}List` });
}

/**
 * The schema of a list answer, `<Name>List` in the API documentation.
 *
 * @param item its `title` is the name
 */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), page }, { title: `${nameOf(item)}List` });
}

/**
 * The schema of the answer of a short list, which has no pages.
 *
 * @param item its `title` is the name
 */
export function listOfAll<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item) }, { title: `${nameOf(item)}List` });
}

/**
 * The schema of an answer with one item, `<Name>Answer` in the API documentation.
 *
 * @param item its `title` is the name
 */
export function oneOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: item }, { title: `${nameOf(item)}Answer` });
}

function nameOf(item: TSchema): string {
  const { title } = item as { readonly title?: string };
  if (title === undefined) throw new TypeError(`a schema of an answer needs a title: ${JSON.stringify(item)}`);
  return title;
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

/** The prefix of a text in a search. It has no control characters, and is not empty. */
export const searchText = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' });

/** The error for an `after` that was not the `next` of a page. */
export function cursorInvalid(): QueryInvalidError {
  return new QueryInvalidError([{ pointer: '/after', detail: 'has to be the next of an earlier page' }]);
}

/**
 * The id in `after`, for lists in the order of ids. Null without one.
 *
 * @throws {QueryInvalidError}
 */
export function readCursorId(after: string | undefined): string | null {
  if (after === undefined) return null;
  if (!isUuid(after)) throw cursorInvalid();
  return after.toLowerCase();
}
