import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditRecord } from '../records/audit-record.js';

/** One line of a file that a sink wrote. */
export type AuditFileLine =
  | { readonly line: number; readonly record: AuditRecord }
  /** No record: a write that a crash cut off, or something that no sink wrote. */
  | { readonly line: number; readonly record: null };

/** Reads what a file sink wrote, line by line, counted from 1; also while it is written to. */
export async function* readAuditFile(path: string): AsyncGenerator<AuditFileLine> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  for await (const text of lines) {
    line += 1;
    yield { line, record: parseRecord(text) };
  }
}

function parseRecord(text: string): AuditRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    const { id, action, extra } = (value ?? {}) as Partial<AuditRecord>;
    return typeof id === 'string' && typeof action === 'string' && extra !== undefined ? (value as AuditRecord) : null;
  } catch {
    return null;
  }
}
