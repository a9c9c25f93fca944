import { notifications } from '@mantine/notifications';
import { defineTexts, preferredLanguage } from '../language/language.js';

const texts = defineTexts({ en: { close: 'Close the message' }, 'zh-CN': { close: '关闭消息' } });

/** Shows that a write has succeeded. */
export function notifyDone(message: string): void {
  const { close } = texts[preferredLanguage()];
  notifications.show({ message, color: 'teal', withBorder: true, closeButtonProps: { 'aria-label': close } });
}
