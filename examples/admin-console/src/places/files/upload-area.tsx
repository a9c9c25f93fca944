import { Alert, Button, Checkbox, FileButton, Group, Paper, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useConnection } from '../../service/service.js';
import { useFileDrop } from './file-drop.js';
import { entriesOf, usePolicyInForce } from './policy-in-force.js';
import { FILES_KEY } from './stored-file.js';
import { texts } from './texts.js';
import { UploadList } from './upload-list.js';
import { hasEnded, uploadQueueOf } from './upload-queue.js';

/** Takes files by a button, or dropped anywhere on the page. Each has its own progress and its own outcome. */
export function UploadArea({ isShown, hasList }: { readonly isShown: boolean; readonly hasList: boolean }) {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const { number } = useFormats();
  const { data: policy } = usePolicyInForce(isShown, hasList);
  const queue = uploadQueueOf(useConnection());
  const uploads = useSyncExternalStore(queue.subscribe, () => queue.uploads);
  const [publicPreview, setPublicPreview] = useState(false);
  const [hasFolder, setHasFolder] = useState(false);
  const isOver = useFileDrop(isShown ? add : null);

  const stored = uploads.filter(({ state }) => state.kind === 'stored').length;
  useEffect(() => {
    if (stored > 0) void queries.invalidateQueries({ queryKey: FILES_KEY });
  }, [stored, queries]);

  useWindowEvent('beforeunload', (event) => {
    if (!uploads.every(hasEnded)) event.preventDefault();
  });

  function add(files: readonly (File | null)[]) {
    const found = files.filter((file) => file !== null);
    setHasFolder(found.length < files.length);
    if (found.length > 0) queue.add(found, publicPreview);
  }

  return (
    <Stack gap="sm">
      <Paper withBorder p="md" {...(isOver && { bg: 'var(--mantine-primary-color-light)' })}>
        <Group justify="space-between" gap="md">
          <Stack gap="xs" maw={520}>
            <Text fw={500}>{isOver ? t.dropNow : t.drop}</Text>
            <Checkbox
              label={t.publicPreview}
              description={t.publicPreviewHint}
              checked={publicPreview}
              onChange={(event) => setPublicPreview(event.currentTarget.checked)}
            />
            {policy !== undefined && (
              <Text size="sm" c="dimmed">
                {t.accepted(`${number(policy.maxSizeMb)} MiB`, entriesOf(policy.allowedExtensions).join(', '))}
              </Text>
            )}
          </Stack>
          {/* The key makes the button take the same file again. */}
          <FileButton multiple onChange={add} key={uploads.length}>
            {(props) => <Button {...props}>{t.choose}</Button>}
          </FileButton>
        </Group>
      </Paper>
      {hasFolder && (
        <Alert
          color="yellow"
          role="alert"
          withCloseButton
          closeButtonLabel={t.close}
          onClose={() => setHasFolder(false)}
        >
          {t.noFolders}
        </Alert>
      )}
      {uploads.length > 0 && <UploadList queue={queue} uploads={uploads} />}
    </Stack>
  );
}
