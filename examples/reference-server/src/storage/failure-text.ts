import { DrizzleQueryError } from 'drizzle-orm';

/** Why a command or a start failed. A failed statement is named by its reason alone: its parameters may be secrets. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof DrizzleQueryError ? `The database refused: ${failureText(error.cause)}` : error.message;
}
