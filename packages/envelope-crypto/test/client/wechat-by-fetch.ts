import { randomBytes } from 'node:crypto';
import type { WechatApi } from '../../src/client/wechat/index.js';

/**
 * `wx` by the `fetch` of Node.js: JSON is parsed unless `dataType` is another, and headers are called JSON.
 *
 * @param note is told the method, URL and headers of each request
 */
export function createWechatByFetch(
  note: (method: string, url: string, headers: Headers) => void = () => {},
): Pick<Required<WechatApi>, 'request' | 'getRandomValues'> {
  return {
    request({ url, method = 'GET', data, header = {}, dataType = 'json', responseType, redirect, success, fail }) {
      const headers = { 'content-type': 'application/json', ...header };
      note(method, url, new Headers(headers));
      const isBodyless = method === 'GET' || method === 'HEAD';
      const body =
        isBodyless || data === undefined ? {} : { body: typeof data === 'string' ? data : JSON.stringify(data) };
      fetch(url, { method, headers, redirect: redirect === 'manual' ? 'manual' : 'follow', ...body })
        .then(async (response) => {
          const bytes = await response.arrayBuffer();
          const text = Buffer.from(bytes).toString();
          const parsed = dataType === 'json' && text.startsWith('{') ? JSON.parse(text) : text;
          const content = responseType === 'arraybuffer' ? bytes : parsed;
          success({
            data: content,
            statusCode: response.status,
            header: Object.fromEntries(response.headers),
            errMsg: 'ok',
          });
        })
        .catch((error: Error) => fail({ errMsg: `request:fail ${error.message}` }));
    },
    getRandomValues({ length, success }) {
      setTimeout(() => success({ randomValues: new Uint8Array(randomBytes(length)).buffer }));
    },
  };
}
