/** Which part of a list (HTTP-1): pages are counted from 1. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of the whole list. */
  readonly total: number;
}

/** For the query: how many rows, from where. */
export function bounds({ page, size }: PageRequest): { readonly limit: number; readonly offset: number } {
  return { limit: size, offset: (page - 1) * size };
}
