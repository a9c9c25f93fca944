import { defineRefusal } from '../../http/refusal.js';

/** One administrator, or all together, have as many live views open on this node as it allows. */
export const StreamsExceededError = defineRefusal({
  code: 'STREAMS_EXCEEDED',
  status: 429,
  en: 'Too many live views are open. Close one of them.',
  'zh-CN': '打开的实时视图过多，请先关闭一个。',
});
