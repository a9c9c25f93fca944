import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { CopyableText } from '../../feedback/copyable-text.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { saveAs } from '../../service/save-as.js';
import { useSend } from '../../service/send.js';
import { useApi, useConnection } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay } from '../../session/profile.js';
import { POLICY_KEY } from './policy-in-force.js';
import { PublicPreview } from './public-preview.js';
import { FILES_KEY, type StoredFile } from './stored-file.js';
import { texts } from './texts.js';

/** Digits of a digest that tell files apart at a glance. */
const SHOWN_DIGITS = 12;

export function FileList() {
  const t = useTexts(texts);
  const { bytes, dateTime } = useFormats();
  const may = useMay();
  const api = useApi();
  const queries = useQueryClient();
  const { client } = useConnection();
  const filters = useFilters(['name']);
  const { name } = filters.values;
  const { after } = filters;
  const query = useQuery({
    queryKey: [...FILES_KEY, name, after],
    async queryFn({ signal }) {
      const query = given({ name, after });
      const answer = dataOf(await api.GET('/admin/storage/files', { params: { query }, signal }));
      if (answer.policy !== null) queries.setQueryData(POLICY_KEY, answer.policy);
      return answer;
    },
  });
  const download = useSend({
    mutationFn: async ({ id, fileName }: StoredFile) => saveAs(String(await client.downloadUrl(id)), fileName),
  });
  const mayDownload = may('api:admin:storage:download');
  const mayDelete = may('api:admin:storage:delete');
  const isEmptyList = name === undefined && may('api:admin:storage:upload');

  return (
    <Stack gap="md">
      <FilterBar filters={filters}>
        <TextInput name="name" label={t.name} placeholder={t.nameHint} defaultValue={name ?? ''} />
      </FilterBar>
      <Refusal
        error={download.error}
        onRetry={() => download.variables !== undefined && download.mutate(download.variables)}
      />
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        cursor={filters}
        empty={isEmptyList ? t.noneUploadable : t.none}
        columns={[
          {
            title: t.name,
            render: ({ fileName, publicPreview }) => (
              <Group gap="xs">
                <span>{fileName}</span>
                {publicPreview && <Badge variant="light">{t.isPublic}</Badge>}
              </Group>
            ),
          },
          { title: t.size, render: ({ size }) => <span style={{ whiteSpace: 'nowrap' }}>{bytes(size)}</span> },
          { title: t.mediaType, render: ({ mediaType }) => mediaType },
          {
            title: t.digest,
            render: ({ sha256 }) => (
              <CopyableText
                label={t.digest}
                hasLabel={false}
                value={sha256}
                shown={`${sha256.slice(0, SHOWN_DIGITS)}…`}
              />
            ),
          },
          {
            title: t.uploaded,
            render: ({ createdAt, createdByAudience }) => (
              <Stack gap={0}>
                <span>{dateTime(createdAt)}</span>
                <Text size="xs" c="dimmed">
                  {t.by[createdByAudience]}
                </Text>
              </Stack>
            ),
          },
        ]}
        actions={(file) => (
          <>
            {mayDownload && (
              <Button
                size="xs"
                variant="default"
                loading={download.isPending && download.variables.id === file.id}
                disabled={download.isPending && download.variables.id !== file.id}
                onClick={() => download.mutate(file)}
              >
                {t.download}
              </Button>
            )}
            {file.publicPreview && <PublicPreview file={file} />}
            {mayDelete && <DeleteFile file={file} />}
          </>
        )}
      />
    </Stack>
  );
}

function DeleteFile({ file: { id, fileName } }: { readonly file: StoredFile }) {
  const t = useTexts(texts);
  const api = useApi();
  const remove = useWrite(
    async () => dataOf(await api.DELETE('/admin/storage/files/{id}', { params: { path: { id } } })),
    { changes: [FILES_KEY], onDone: () => notifyDone(t.removed(fileName)) },
  );
  return (
    <ConfirmedAction
      label={t.remove}
      consequence={t.removeConsequence(fileName)}
      action={remove}
      onConfirm={(done) => remove.mutate(undefined, { onSuccess: done })}
    />
  );
}
