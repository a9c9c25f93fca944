import { Button, Group, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { FormEvent, ReactNode } from 'react';
import { defineTexts, useTexts } from '../language/language.js';
import { ModalFrame } from './modal-frame.js';

const texts = defineTexts({ en: { cancel: 'Cancel' }, 'zh-CN': { cancel: '取消' } });

/** Of the row of buttons that stays in sight, in pixels. */
const BUTTONS_HEIGHT = 80;

export interface DialogProps {
  readonly opened: boolean;
  readonly title: string;
  /** For long forms. */
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** A dialog with a form. Place it in the page, not in a row: a list that is read again drops its rows. */
export function Dialog({ opened, title, isWide = false, onClose, children }: DialogProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth < 768, { getInitialValueInEffect: false });
  return (
    <ModalFrame
      opened={opened}
      onClose={onClose}
      title={title}
      size={isWide ? 'xl' : 'md'}
      fullScreen={isNarrow}
      // What was typed goes only when the user says so, not by a click outside of it.
      closeOnClickOutside={false}
      // A refusal that scrolls into view stands above the buttons, not behind them.
      styles={{ content: { scrollPaddingBottom: BUTTONS_HEIGHT } }}
    >
      {children}
    </ModalFrame>
  );
}

export interface DialogFormProps {
  /** The text of the button that sends. */
  readonly submit: string;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  onSubmit(): void;
  onCancel(): void;
  readonly children: ReactNode;
}

/** The form in a dialog. Its buttons stay in sight. */
export function DialogForm({ submit, isPending, isDisabled, onSubmit, onCancel, children }: DialogFormProps) {
  const t = useTexts(texts);
  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form onSubmit={send}>
      <Stack>
        {children}
        <Group justify="flex-end" pos="sticky" bottom={0} py="xs" bg="var(--mantine-color-body)">
          <Button variant="default" onClick={onCancel}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={isPending} disabled={isDisabled ?? false}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
