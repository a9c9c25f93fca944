import { Modal, type ModalProps } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { useAskedProof, useSessionState } from '../service/service.js';

const texts = defineTexts({ en: { cancel: 'Cancel' }, 'zh-CN': { cancel: '取消' } });

/**
 * What stands over a page. It goes at once: a button that fades would take another click. Escape closes it, but not
 * from under the sign-in of an ended session, or a question for a proof.
 */
export function ModalFrame(props: ModalProps) {
  const t = useTexts(texts);
  const state = useSessionState();
  const isOnTop = useAskedProof() === null && state === 'open';
  return (
    <Modal
      closeOnEscape={isOnTop}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t.cancel }}
      {...props}
    />
  );
}
