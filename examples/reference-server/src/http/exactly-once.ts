/**
 * For a write that makes all its changes in one transaction (storage/changes.ts), which also commits the record of its
 * key: exactly once, even if the process dies (IDM-7). A request without a key is processed without this guarantee.
 */
export const exactlyOnce = { idempotency: { required: false, transactional: true } } as const;

/** The same for an upload. Its handler begins the run when it knows the content (IDM-11). */
export const exactlyOnceByContent = {
  idempotency: { required: false, transactional: true, content: 'in-handler' },
} as const;

/** The same, but every request needs a key. */
export const exactlyOnceByKey = { idempotency: { required: true, transactional: true } } as const;
