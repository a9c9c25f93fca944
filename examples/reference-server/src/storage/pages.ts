/** A page of a list (HTTP-1). Pages are counted from 1. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Number of items of the whole list. */
  readonly total: number;
}

/** Limit and offset of the query. */
export function bounds({ page, size }: PageRequest): { readonly limit: number; readonly offset: number } {
  return { limit: size, offset: (page - 1) * size };
}
