/** A use of a store by a package. */
export interface StoreUse {
  /** The package's short name, such as `auth-tokens`. */
  readonly subject: string;
  readonly store: object;
  /** Half a sentence that says what a restart, or a second process, loses or lets through. */
  readonly losses: string;
  /** The stores to give in place of it. Default: the shared stores of this package. */
  readonly instead?: string;
}

/** The log of an application, such as `fastify.log`. */
export interface WarningLog {
  warn(details: { readonly code: string }, message: string): void;
}

/** The code of the warning. */
export const MEMORY_STORE_CODE = 'SALLYPORT_MEMORY_STORE';

const SHARED_STORES =
  'a store that all processes share, such as createRedisStore or createPostgresStore of @sallyport/ttl-store';

/** Packages without a log that have warned: they may be created for each request. */
const warned = new Set<string>();

/**
 * Warns of a store whose entries end with this process, if `NODE_ENV` is `production`. Without a log it warns by
 * `process.emitWarning`, once for each package. Where there is no `process`, it does nothing.
 */
export function warnOfMemoryStore(
  { subject, store, losses, instead = SHARED_STORES }: StoreUse,
  log?: WarningLog,
): void {
  if (globalThis.process?.env?.NODE_ENV !== 'production') return;
  if ((store as { readonly lifetime?: unknown }).lifetime !== 'process') return;
  const message = `${subject}: \`store\` is in the memory of this process: ${losses}. Give \`store\` ${instead}`;
  if (log !== undefined) {
    log.warn({ code: MEMORY_STORE_CODE }, message);
    return;
  }
  if (warned.has(subject)) return;
  warned.add(subject);
  process.emitWarning(message, { code: MEMORY_STORE_CODE });
}
