/** The part of a mini-program's `wx` that the client uses. */
export interface WechatApi {
  request(
    options: WechatRequest & { success(result: WechatResult): void; fail(reason: { errMsg: string }): void },
  ): unknown;
  /** Read for the version. From base library 2.20 on. */
  getAppBaseInfo?(): BaseLibrary;
  /** Read for the version if the newer function is missing. */
  getSystemInfoSync?(): BaseLibrary;
  /** From base library 2.15 on. Needed unless the option `random` is given. */
  getRandomValues?(options: {
    length: number;
    success(result: { randomValues: ArrayBuffer }): void;
    fail(reason: { errMsg: string }): void;
  }): void;
}

/** The object that contains the version of the base library. */
interface BaseLibrary {
  readonly SDKVersion?: string;
}

/** The methods of `wx.request`. */
export type WechatMethod = 'OPTIONS' | 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'TRACE' | 'CONNECT';

/** The argument of `wx.request`, without its callbacks. Members that are not named here are passed on. */
export interface WechatRequest {
  /** A URL of the service, or its path that begins with `/`. */
  readonly url: string;
  /** Default `GET`. */
  readonly method?: WechatMethod;
  /** The query with GET and HEAD, otherwise the body. An object is sent as JSON. */
  readonly data?: string | object | ArrayBuffer;
  readonly header?: Readonly<Record<string, string>>;
  /** With `json`, a JSON answer is parsed. Default `json`. */
  readonly dataType?: string;
  /** `text` or `arraybuffer`. Default `text`. */
  readonly responseType?: 'text' | 'arraybuffer';
  readonly [member: string]: unknown;
}

/** The argument of `success`. The client reads the first three members. */
interface WechatResult {
  readonly data: unknown;
  readonly statusCode: number;
  readonly header: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly errMsg?: string;
}

/** The result of `wx.request`. */
export interface WechatResponse extends WechatResult {
  readonly [member: string]: unknown;
}

/** `wx.request` as a promise. It rejects with the argument of `fail`. */
export function callWechat(wx: WechatApi, options: WechatRequest): Promise<WechatResponse> {
  return new Promise((resolve, reject) => {
    const success = (result: WechatResult) => resolve(result as WechatResponse);
    wx.request({ ...options, success, fail: (reason) => reject(failureOf(reason)) });
  });
}

/** Random bytes of `wx.getRandomValues`. */
export function drawWechatRandom(wx: WechatApi, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (wx.getRandomValues === undefined) throw new TypeError('wx has no getRandomValues: give the option random');
    wx.getRandomValues({
      length,
      success: ({ randomValues }) => resolve(new Uint8Array(randomValues)),
      fail: (reason) => reject(failureOf(reason)),
    });
  });
}

function failureOf(reason: { errMsg: string }): Error {
  return Object.assign(new Error(reason.errMsg), reason);
}
