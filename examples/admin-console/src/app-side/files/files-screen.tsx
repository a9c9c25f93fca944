import { Button, Checkbox, FileButton, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../language/language.js';
import { Page } from '../../shell/page.js';
import { OWN_FILES_KEY, OwnFiles } from './own-files.js';
import { texts } from './texts.js';
import { UploadCard } from './upload-card.js';
import { useUploads } from './uploads.js';

/** The files of the user. */
export default function FilesScreen() {
  const t = useTexts(texts);
  const uploads = useUploads(OWN_FILES_KEY);
  const [isShared, setIsShared] = useState(false);
  return (
    <Page title={t.title} purpose={t.purpose}>
      <Stack gap="sm">
        <FileButton multiple onChange={(files) => uploads.add(files, isShared)}>
          {(props) => (
            <Button size="md" {...props}>
              {t.choose}
            </Button>
          )}
        </FileButton>
        <Checkbox
          label={t.share}
          checked={isShared}
          onChange={({ currentTarget }) => setIsShared(currentTarget.checked)}
        />
      </Stack>
      {uploads.list.length > 0 && (
        <Stack gap="xs" role="list" aria-label={t.uploads}>
          {uploads.list.map((upload) => (
            <UploadCard key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </Stack>
      )}
      <Title order={2} size="h5">
        {t.own}
      </Title>
      <OwnFiles />
    </Page>
  );
}
