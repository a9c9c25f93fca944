import { defineTexts } from '../../language/language.js';

export const texts = defineTexts({
  en: {
    title: 'Development outbox',
    purpose: 'The text messages that production would send. Tap a code to type it in.',
    empty: 'No messages yet. Ask for a code.',
    away: 'The outbox cannot be read at the moment. It is tried again.',
    use: (code: string) => `Use the code ${code}`,
    show: (count: number) =>
      count === 0 ? 'No messages yet' : count === 1 ? 'Show 1 message' : `Show ${count} messages`,
    hide: 'Hide the messages',
  },
  'zh-CN': {
    title: '开发发件箱',
    purpose: '生产环境会发出的短信。点按验证码即可填入。',
    empty: '暂无短信，请先获取验证码。',
    away: '暂时无法读取发件箱，正在重试。',
    use: (code: string) => `填入验证码 ${code}`,
    show: (count: number) => (count === 0 ? '暂无短信' : `显示 ${count} 条短信`),
    hide: '收起短信',
  },
});
