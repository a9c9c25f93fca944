export { EnvelopeClientError, type EnvelopeClientErrorCode, EnvelopeClientSetupError } from '../errors.js';
export type { WechatApi, WechatMethod, WechatRequest, WechatResponse } from './wechat-api.js';
export { createWechatClient, type WechatClient, type WechatClientOptions } from './wechat-client.js';
