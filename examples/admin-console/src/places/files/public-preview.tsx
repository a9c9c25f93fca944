import { Button, Image, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { CopyableText } from '../../feedback/copyable-text.js';
import { ModalFrame } from '../../feedback/modal-frame.js';
import { useTexts } from '../../language/language.js';
import type { StoredFile } from './stored-file.js';
import { texts } from './texts.js';

/** Shows what everybody can see, and the address for it. */
export function PublicPreview({ file: { id, fileName, mediaType } }: { readonly file: StoredFile }) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [hasFailed, setFailed] = useState(false);
  const address = `${location.origin}/public/storage/preview?${new URLSearchParams({ id })}`;
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {t.preview}
      </Button>
      <ModalFrame
        opened={isOpen}
        onClose={close}
        onExitTransitionEnd={() => setFailed(false)}
        title={t.previewTitle(fileName)}
        size="lg"
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {t.previewPurpose}
          </Text>
          <CopyableText label={t.previewAddress} value={address} />
          {hasFailed && (
            <Text size="sm" role="alert">
              {t.previewFailed}
            </Text>
          )}
          {mediaType.startsWith('image/') && !hasFailed && (
            <Image src={address} alt={fileName} fit="contain" mah={480} radius="sm" onError={() => setFailed(true)} />
          )}
        </Stack>
      </ModalFrame>
    </>
  );
}
