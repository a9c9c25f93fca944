import { Modal, type ModalProps } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { useSessionState } from '../service/service.js';

const texts = defineTexts({ en: { cancel: 'Cancel' }, 'zh-CN': { cancel: '取消' } });

/**
 * What stands over a page. It goes at once: a button that fades would take another click. Escape closes it, but not
 * from under the sign-in of an ended session.
 */
export function ModalFrame(props: ModalProps) {
  const t = useTexts(texts);
  const isOpenSession = useSessionState() === 'open';
  return (
    <Modal
      closeOnEscape={isOpenSession}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t.cancel }}
      {...props}
    />
  );
}
