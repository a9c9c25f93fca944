/** The requests of the laboratory: a read with a query, a write with a key, and a request without parameters. */
export const REQUEST_NAMES = ['payments', 'payment', 'profile'] as const;
export type RequestName = (typeof REQUEST_NAMES)[number];

/** What each request needs. Null: it is open to every administrator. */
export const REQUEST_PERMISSIONS: Readonly<Record<RequestName, string | null>> = {
  payments: 'api:admin:payments:list',
  payment: 'api:admin:payments:create',
  profile: null,
};

/** What the user can edit. */
export interface Content {
  readonly payee: string;
  readonly amount: string;
}

/** A request before it is sealed. */
export interface PlainRequest {
  readonly name: RequestName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** The JSON text. Empty: no body. */
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly content: Content;
}

/** @param idempotencyKey for a write; other requests have none */
export function buildRequest(name: RequestName, content: Content, idempotencyKey: string): PlainRequest {
  const read = { name, method: 'GET', query: '', body: '', idempotencyKey: null, content } as const;
  switch (name) {
    case 'profile':
      return { ...read, path: '/admin/profile' };
    case 'payments': {
      // The service refuses an empty filter.
      const query = new URLSearchParams(content.payee === '' ? { size: '5' } : { payee: content.payee, size: '5' });
      return { ...read, path: '/admin/payments', query: query.toString() };
    }
    case 'payment':
      return { ...read, method: 'POST', path: '/admin/payments', body: JSON.stringify(content), idempotencyKey };
  }
}

/** Another payment to the same payee: the amount grows by one. */
export function changedContent({ payee, amount }: Content): Content {
  const parts = /^(\d{1,10})(\.\d{1,2})?$/.exec(amount);
  return { payee, amount: parts === null ? '1.00' : `${Number(parts[1]) + 1}${parts[2] ?? ''}` };
}
