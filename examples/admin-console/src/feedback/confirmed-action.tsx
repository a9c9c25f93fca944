import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { defineTexts, useTexts } from '../language/language.js';
import { ModalFrame } from './modal-frame.js';
import { Refusal } from './refusal.js';

const texts = defineTexts({ en: { cancel: 'Cancel' }, 'zh-CN': { cancel: '取消' } });

export interface ConfirmedActionProps extends ButtonProps {
  /** The text of the button that asks, and of the one that acts. */
  readonly label: string;
  /** What the act will do, in a sentence. */
  readonly consequence: ReactNode;
  readonly action: {
    readonly isPending: boolean;
    readonly error: Error | null;
    reset(): void;
  };
  /** Acts, and calls back after it has succeeded. */
  onConfirm(done: () => void): void;
}

/** A button for a destructive act. It asks once, and says what the act will do. */
export function ConfirmedAction({ label, consequence, action, onConfirm, ...button }: ConfirmedActionProps) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  function ask() {
    action.reset();
    open();
  }
  return (
    <>
      <Button color="red" variant="light" size="xs" {...button} onClick={ask}>
        {label}
      </Button>
      <ModalFrame opened={isOpen} onClose={close} title={label}>
        <Stack>
          <Text size="sm" component="div">
            {consequence}
          </Text>
          <Refusal error={action.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t.cancel}
            </Button>
            <Button color="red" loading={action.isPending} onClick={() => onConfirm(close)}>
              {label}
            </Button>
          </Group>
        </Stack>
      </ModalFrame>
    </>
  );
}
