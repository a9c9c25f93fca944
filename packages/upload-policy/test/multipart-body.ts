/** One part of a form. */
export interface Part {
  readonly name?: string;
  readonly fileName?: string;
  /** The value of the Content-Type header; left out if undefined. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array | string;
}

const BOUNDARY = 'sallyport-test-boundary';

export const multipartHeaders = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** The body of a form. */
export function multipartBody(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name = 'file', fileName, mediaType, bytes }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${
        fileName === undefined ? '' : `; filename="${fileName}"`
      }${mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`}\r\n\r\n`,
    ),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
