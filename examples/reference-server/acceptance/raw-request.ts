import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { type Answer, readAnswer, readBytes } from './answer.js';

/** A raw request: its target is not parsed, decoded or normalised. */
export interface RawRequest {
  readonly method: string;
  /** The request target, in any form. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  /** Waits and retries if a rate limit refuses. Default true. */
  readonly isPatient?: boolean;
}

export interface RawOptions {
  readonly timeoutMillis: number;
}

/** Bound of a header line in an answer, in bytes. */
const MAX_HEADER_BYTES = 65_536;

/** Sends it to the origin. Rejects if there is no answer. */
export function sendRaw(
  origin: URL,
  { method, target, headers = {}, body }: RawRequest,
  { timeoutMillis }: RawOptions,
): Promise<Answer> {
  const send = origin.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const request = send(
      {
        protocol: origin.protocol,
        hostname: origin.hostname.replace(/^\[|\]$/g, ''),
        port: origin.port,
        method,
        path: target,
        headers: {
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
          ...(headers as Record<string, string | string[]>),
        },
        // A separate connection, so that the server can close it without affecting other requests.
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: AbortSignal.timeout(timeoutMillis),
      },
      (response) => {
        const { statusCode = 0, headers: received } = response;
        const get = (name: string) => received[name.toLowerCase()]?.toString() ?? null;
        readBytes(response).then((bytes) => resolve(readAnswer(statusCode, { get }, bytes)), reject);
      },
    );
    // A server may answer and close before it has read the whole body. Its answer counts.
    let answered = false;
    request.once('response', () => {
      answered = true;
    });
    request.on('error', (error) => {
      if (!answered) reject(error);
    });
    request.end(body);
  });
}
