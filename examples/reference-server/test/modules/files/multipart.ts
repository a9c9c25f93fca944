import { randomUUID } from 'node:crypto';

/** One file of a form. */
export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** A form with one file, fields first, as a browser sends it. */
export function formWith(
  { name, type, content }: FormFile,
  fields: Readonly<Record<string, string>> = {},
): { readonly headers: { 'content-type': string }; readonly payload: Buffer } {
  const boundary = `----form${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(parts.join('') + head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
