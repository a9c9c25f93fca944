import { asForm, type IdempotencyHeader, type Problem, RefusedError } from '@sallyport/api-client';
import { preferredLanguage } from '../language/language.js';
import type { Connection } from './connection.js';

/** An upload, and how to follow it. */
export interface FileToSend {
  readonly path: '/app/storage/files' | '/admin/storage/files';
  readonly file: File;
  readonly publicPreview: boolean;
  /** The same for each attempt: the file is stored once. */
  readonly header: IdempotencyHeader;
  /** Gets the share that has left the page, from 0 to 1. */
  onProgress(share: number): void;
  readonly signal: AbortSignal;
}

/**
 * Uploads a file. `fetch` tells nothing of its progress. Uploads are unencrypted in every mode, so nothing is lost by
 * doing without it.
 *
 * @throws {RefusedError} for a refusal; `TypeError` if there was no answer, as `fetch` does
 */
export function sendFile({ client, noteAnswer }: Connection, upload: FileToSend): Promise<void> {
  const { path, file, publicPreview, header, onProgress, signal } = upload;
  const { token } = client;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Accept-Language', preferredLanguage());
    request.setRequestHeader('Idempotency-Key', header['Idempotency-Key']);
    if (token !== null) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status < 300) return resolve();
      noteAnswer(request.status, token);
      const problem = readProblem(request.responseText);
      reject(problem === null ? new TypeError(`answered ${request.status}`) : new RefusedError(problem));
    };
    request.onerror = () => reject(new TypeError('no answer'));
    request.onabort = () => reject(new DOMException('The upload was ended', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(asForm({ publicPreview: String(publicPreview), file }));
  });
}

/** Null: a proxy in front of the service answered in its place. */
function readProblem(text: string): Problem | null {
  try {
    const answer: unknown = JSON.parse(text);
    return isProblem(answer) ? answer : null;
  } catch {
    return null;
  }
}

function isProblem(answer: unknown): answer is Problem {
  if (typeof answer !== 'object' || answer === null) return false;
  return 'code' in answer && 'detail' in answer && 'requestId' in answer && 'status' in answer;
}
