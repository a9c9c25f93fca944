import { type ApiClient, dataOf } from '@sallyport/api-client';
import type { AuditFilters } from './audit-records.js';

/** How the records are written. `bom` and `separator` are of CSV. */
export type ExportFormat =
  | { readonly format: 'csv'; readonly bom: boolean; readonly separator: 'comma' | 'semicolon' }
  | { readonly format: 'ndjson' };

/** What has arrived so far. */
export interface ExportProgress {
  readonly records: number;
  readonly bytes: number;
}

export interface ExportOptions {
  readonly found: AuditFilters;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  onProgress(progress: ExportProgress): void;
}

const LINE_FEED = 10;

/** Time between two reports, in milliseconds: each is shown. */
const REPORT_MILLIS = 100;

/** Reads an export to its end. One that breaks off throws, so half an export is never taken for a whole one. */
export async function exportRecords(
  api: ApiClient['api'],
  { found, format, signal, onProgress }: ExportOptions,
): Promise<{ readonly content: Blob; readonly records: number }> {
  const answer = await api.GET('/admin/audit-records/export', {
    params: { query: { ...found, ...format } },
    parseAs: 'stream',
    signal,
  });
  const stream = dataOf(answer);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  // The first line of CSV has the names of the columns.
  let records = format.format === 'csv' ? -1 : 0;
  let bytes = 0;
  let reported = performance.now();
  if (stream !== null) {
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      chunks.push(part.value);
      bytes += part.value.length;
      // Texts have no line feeds in either format: the log writes them as spaces.
      for (const byte of part.value) if (byte === LINE_FEED) records += 1;
      if (performance.now() - reported > REPORT_MILLIS) {
        reported = performance.now();
        onProgress({ records: Math.max(0, records), bytes });
      }
    }
  }
  const type = answer.response.headers.get('content-type') ?? 'text/plain';
  return { content: new Blob(chunks, { type }), records: Math.max(0, records) };
}
