import type { CreateResponse } from '../opened-response.js';
import { decodeText } from './text-coding.js';

/**
 * Makes a response in plain ECMAScript. It has the most used members of the class `Response`: `status`, `ok`,
 * `statusText`, `url`, `headers` with `has`, `get` and `forEach`, `text`, `json`, `arrayBuffer` and `clone`.
 */
export const createPlainResponse: CreateResponse = (content) => {
  const { status, statusText, url, bytes } = content;
  const headerOf = (name: string) =>
    content.headers.flatMap(([each, value]) => (each === name.toLowerCase() ? [value] : [])).join(', ');
  const text = async () => decodeText(bytes).replace(/^\ufeff/, '');
  const response = {
    ...{ status, statusText, url, text },
    ok: status >= 200 && status < 300,
    headers: {
      has: (name: string) => headerOf(name) !== '',
      get: (name: string) => headerOf(name) || null,
      forEach(use: (value: string, name: string) => void) {
        for (const [name, value] of content.headers) use(value, name);
      },
    },
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => bytes.slice().buffer,
    clone: () => createPlainResponse(content),
  };
  return response as unknown as Response;
};
