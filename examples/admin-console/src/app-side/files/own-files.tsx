import { Anchor, Badge, Button, Card, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { type components, dataOf } from '@sallyport/api-client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { given, useFilters } from '../../lists/filters.js';
import { saveAs } from '../../service/save-as.js';
import { useSend } from '../../service/send.js';
import { useApi, useConnection } from '../../service/service.js';
import { texts } from './texts.js';

type OwnFile = components['schemas']['OwnFile'];

export const OWN_FILES_KEY = ['own-files'] as const;

/** The place of a page in the list. */
type Place = { readonly after?: string };

const BEGINNING: Place = {};

/** The files of the user, the newest first. */
export function OwnFiles() {
  const t = useTexts(texts);
  const api = useApi();
  const { generation } = useConnection();
  const filters = useFilters(['name']);
  const { name } = filters.values;
  const query = useInfiniteQuery({
    queryKey: [...OWN_FILES_KEY, generation, name],
    queryFn: async ({ signal, pageParam }) =>
      dataOf(await api.GET('/app/storage/files', { params: { query: given({ name, ...pageParam }) }, signal })),
    initialPageParam: BEGINNING,
    getNextPageParam: ({ page: { next } }): Place | null => (next === null ? null : { after: next }),
  });
  const files = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const isEmpty = query.data !== undefined && files.length === 0;
  return (
    <Stack gap="sm" aria-busy={query.isFetching}>
      {(name !== undefined || files.length > 0) && (
        <FilterBar filters={filters}>
          <TextInput name="name" label={t.search} defaultValue={name ?? ''} flex={1} />
        </FilterBar>
      )}
      {query.isPending && (
        <Group role="status" gap="xs">
          <Loader size="sm" aria-hidden />
          <Text size="sm">{t.loading}</Text>
        </Group>
      )}
      <Refusal error={query.error} onRetry={() => void query.refetch()} />
      {isEmpty && <Text c="dimmed">{name === undefined ? t.empty : t.notFound}</Text>}
      {files.length > 0 && (
        <Stack gap="xs" role="list" aria-label={t.own}>
          {files.map((file) => (
            <FileCard key={file.id} file={file} />
          ))}
        </Stack>
      )}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </Stack>
  );
}

function FileCard({ file }: { readonly file: OwnFile }) {
  const t = useTexts(texts);
  const { bytes, dateTime } = useFormats();
  const { client } = useConnection();
  const download = useSend({
    async mutationFn() {
      const url = await client.downloadUrl(file.id);
      // A refusal leaves the page where it is.
      saveAs(url.href, file.fileName);
    },
  });
  const { fileName, size, createdAt, publicPreview } = file;
  return (
    <Card withBorder padding="sm" role="listitem">
      <Stack gap={6}>
        <Group wrap="nowrap" gap="xs">
          <Text size="sm" fw={500} flex={1} style={{ overflowWrap: 'anywhere' }}>
            {fileName}
          </Text>
          {publicPreview && <Badge variant="light">{t.shared}</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {bytes(size)} · {dateTime(createdAt)}
        </Text>
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            aria-label={t.downloadOf(fileName)}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {t.download}
          </Button>
          {publicPreview && (
            <Anchor
              size="sm"
              href={`/public/storage/preview?id=${encodeURIComponent(file.id)}`}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t.previewOf(fileName)}
            >
              {t.preview}
            </Anchor>
          )}
        </Group>
        <Refusal error={download.error} />
      </Stack>
    </Card>
  );
}
