import { DrizzleQueryError } from 'drizzle-orm';

/**
 * The reason why a command or a start failed. Of a failed statement, only the reason is shown, because its parameters
 * may be secrets.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof DrizzleQueryError ? `The database refused: ${failureText(error.cause)}` : error.message;
}
