import { type IdempotencyHeader, type Problem, RefusedError } from '@sallyport/api-client';
import { preferredLanguage } from '../language/language.js';
import type { Connection } from './connection.js';

/** One attempt to upload a file. */
export interface UploadAttempt {
  readonly path: '/admin/storage/files' | '/app/storage/files';
  readonly file: File;
  readonly publicPreview: boolean;
  readonly key: IdempotencyHeader;
  readonly signal: AbortSignal;
  /** Gets the part of the content that has been sent, from 0 to 1. */
  onProgress(share: number): void;
}

/**
 * Uploads a file as the client does. It uses XMLHttpRequest, since `fetch` reports no progress of a request.
 *
 * @throws {RefusedError} for a refusal; {TypeError} for a lost connection, as `fetch` does; the reason of the signal
 */
export function sendFile(
  connection: Pick<Connection, 'client' | 'noteAnswer'>,
  { path, file, publicPreview, key, signal, onProgress }: UploadAttempt,
): Promise<void> {
  const { token } = connection.client;
  const form = new FormData();
  form.append('publicPreview', String(publicPreview));
  form.append('file', file);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.responseType = 'json';
    if (token !== null) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('Idempotency-Key', key['Idempotency-Key']);
    request.setRequestHeader('Accept-Language', preferredLanguage());
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(new TypeError('The upload got no answer'));
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      const answer: unknown = request.response;
      connection.noteAnswer({ status: request.status, code: isProblem(answer) ? answer.code : null }, token);
      if (request.status === 201) resolve();
      else if (isProblem(answer)) reject(new RefusedError(answer));
      // A gateway in between answered.
      else reject(new TypeError(`The upload got the status ${request.status} without a reason`));
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** The members that the page shows. */
function isProblem(answer: unknown): answer is Problem {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('code' in answer && 'detail' in answer && 'requestId' in answer && 'status' in answer)) return false;
  const { code, detail, requestId, status } = answer;
  return [code, detail, requestId].every((text) => typeof text === 'string') && typeof status === 'number';
}
