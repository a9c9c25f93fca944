// ENV-11: `wx` as `miniprogram-api-typings` declares it is taken by createWechatClient. Those typings change globals
// that others need here, so that their declarations of the members that the client uses stand below.
import { createWechatClient } from '@sallyport/envelope-crypto/client/wechat';

// biome-ignore lint/suspicious/noExplicitAny: as declared there
type AnyObject = Record<string, any>;

interface RequestResult<Data> {
  cookies: string[];
  data: Data;
  errMsg: string;
  header: AnyObject;
  statusCode: number;
}

interface RequestOption<Data extends string | AnyObject | ArrayBuffer = string | AnyObject | ArrayBuffer> {
  url: string;
  data?: string | AnyObject | ArrayBuffer;
  dataType?: string;
  enableCache?: boolean;
  fail?: (failure: { errMsg: string; errno: number }) => void;
  header?: AnyObject;
  method?: 'OPTIONS' | 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'TRACE' | 'CONNECT';
  redirect?: 'follow' | 'manual';
  responseType?: 'text' | 'arraybuffer';
  success?: (result: RequestResult<Data>) => void;
  timeout?: number;
}

declare const wx: {
  request<Data extends string | AnyObject | ArrayBuffer = string | AnyObject | ArrayBuffer>(
    option: RequestOption<Data>,
  ): { abort(): void };
  getAppBaseInfo(): { SDKVersion: string; language: string };
  getSystemInfoSync(): { SDKVersion: string; brand: string };
  getRandomValues(option: {
    length: number;
    success?: (result: { randomValues: ArrayBuffer; errMsg: string }) => void;
    fail?: (failure: { errMsg: string }) => void;
  }): void;
};

const client = createWechatClient({ wx, baseUrl: 'https://api.example.com' });
client.request({ url: '/payments', method: 'POST', data: { amount: '12.50' } }).then(({ statusCode }) => {
  const status: number = statusCode;
  return status;
});
// @ts-expect-error wx.request has no such method
client.request({ url: '/payments', method: 'PATCH' });
