import { type AnyColumn, type Placeholder, type SQL, sql } from 'drizzle-orm';

/** A page of a list (HTTP-1). Pages are counted from 1. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** A page by number, or the page after a cursor. */
export interface CursorRequest extends PageRequest {
  /** `next` of the previous page. With it, the number is ignored. */
  readonly after?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Number of items of the whole list. */
  readonly total: number;
}

export interface CursorPage<Item> {
  readonly items: readonly Item[];
  /** Null if the page was requested by a cursor, so that nothing was counted. */
  readonly total: number | null;
  /** Null if this is the last page. */
  readonly next: string | null;
}

export interface CursorSource<Item> {
  /** The items in order, from the cursor of the request on. */
  select(limit: number, offset: number): Promise<readonly Item[]>;
  /** All items, regardless of the cursor. */
  count(): Promise<number>;
  /** The cursor after an item. */
  cursorOf(item: Item): string;
}

/** Limit and offset of the query. */
export function bounds({ page, size }: PageRequest): { readonly limit: number; readonly offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

/** Reads one item more than the page has, to find out whether a page follows. */
export async function readPage<Item>(
  { page, size, after }: CursorRequest,
  { select, count, cursorOf }: CursorSource<Item>,
): Promise<CursorPage<Item>> {
  const [rows, total] = await Promise.all([
    select(size + 1, after === undefined ? (page - 1) * size : 0),
    after === undefined ? count() : null,
  ]);
  const items = rows.slice(0, size);
  return {
    items,
    total,
    next: rows.length > size ? cursorOf(items.at(-1) as Item) : null,
  };
}

/** The `page` of an answer. */
export function showPage({ page, size }: CursorRequest, { total, next }: Omit<CursorPage<unknown>, 'items'>) {
  return total === null ? { size, next } : { number: page, size, total, next };
}

/**
 * Whether a text begins with another one, in any letter case. The wildcards of LIKE are escaped. It can use an index
 * `lower(column) text_pattern_ops`.
 *
 * @param start the text, or a placeholder of its {@link patternOf}
 */
export function beginsWith(column: AnyColumn, start: string | Placeholder): SQL {
  return sql`lower(${column}) like lower(${typeof start === 'string' ? patternOf(start) : start})`;
}

/** The LIKE pattern of the texts that begin with this one. */
export function patternOf(start: string): string {
  return `${start.replace(/[\\%_]/g, '\\$&')}%`;
}
