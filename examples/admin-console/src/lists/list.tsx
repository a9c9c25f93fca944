import { Button, Card, Checkbox, Group, Loader, Stack, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { useFormats } from '../language/formats.js';
import { defineTexts, useTexts } from '../language/language.js';
import { useIsNarrow } from '../shell/narrow.js';

const texts = defineTexts({
  en: {
    loading: 'Loading',
    empty: 'Nothing found.',
    total: (count: string) => `${count} in all`,
    moreThan: (count: string) => `More than ${count}`,
    first: 'First page',
    next: 'Next page',
    pages: 'Pages',
    actions: 'Actions',
    endOfPage: 'No more on this page. The next page has others.',
    choose: (name: string) => `Choose ${name}`,
    chooseAll: 'Choose all of this page',
  },
  'zh-CN': {
    loading: '加载中',
    empty: '暂无数据。',
    total: (count: string) => `共 ${count} 条`,
    moreThan: (count: string) => `超过 ${count} 条`,
    first: '第一页',
    next: '下一页',
    pages: '分页',
    actions: '操作',
    endOfPage: '本页已无更多内容，请查看下一页。',
    choose: (name: string) => `选择 ${name}`,
    chooseAll: '选择本页全部',
  },
});

/** One column of a list. On a narrow screen each row is a card, with the titles next to the values. */
export interface Column<Row> {
  readonly title: string;
  /** Null: the row has no such value. Its card then has no such line. */
  render(row: Row): ReactNode;
}

/** Rows that the user picks out of a list, to act on them at once. */
export interface Choice<Row> {
  readonly chosen: ReadonlySet<string>;
  choose(keys: ReadonlySet<string>): void;
  mayChoose(row: Row): boolean;
  /** The row, for screen readers. */
  nameOf(row: Row): string;
}

/** A page of a list, as the service answers it. */
export interface ListAnswer<Row> {
  readonly data: readonly Row[];
  readonly page: { readonly next?: string | null; readonly total?: number; readonly totalIsExact?: boolean };
}

export interface ListProps<Row> {
  /** What the list holds, for screen readers. */
  readonly label: string;
  readonly query: UseQueryResult<ListAnswer<Row>, Error>;
  readonly columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** The acts that the user may do on a row. */
  readonly actions?: (row: Row) => ReactNode;
  readonly choice?: Choice<Row>;
  /** What an empty list says. Default: that nothing was found. */
  readonly empty?: ReactNode;
  /** The place in the list, for lists with pages. */
  readonly cursor?: { readonly after: string | null; goTo(after: string | null): void };
}

/** Rows on a wide screen, cards on a narrow one; with the states of loading, failure and emptiness. */
export function List<Row>(props: ListProps<Row>) {
  const t = useTexts(texts);
  const { query, empty, cursor } = props;
  if (query.error !== null) return <Refusal error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) {
    return (
      <Group role="status" gap="xs">
        <Loader size="sm" aria-hidden />
        <Text size="sm">{t.loading}</Text>
      </Group>
    );
  }
  const { data, page } = query.data;
  const hasNext = page.next !== undefined && page.next !== null;
  return (
    <Stack gap="sm" aria-busy={query.isFetching}>
      {data.length === 0 && <Text c="dimmed">{hasNext ? t.endOfPage : (empty ?? t.empty)}</Text>}
      {data.length > 0 && <RowList {...props} rows={data} />}
      {cursor !== undefined && (cursor.after !== null || hasNext) && (
        <Group component="nav" aria-label={t.pages}>
          <Button variant="default" size="xs" disabled={cursor.after === null} onClick={() => cursor.goTo(null)}>
            {t.first}
          </Button>
          <Button variant="default" size="xs" disabled={!hasNext} onClick={() => cursor.goTo(page.next ?? null)}>
            {t.next}
          </Button>
        </Group>
      )}
      <Total count={page.total} isExact={page.totalIsExact !== false} />
    </Stack>
  );
}

function Total({ count, isExact }: { readonly count: number | undefined; readonly isExact: boolean }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  // An empty list has said so.
  if (count === undefined || count === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {isExact ? t.total(number(count)) : t.moreThan(number(count))}
    </Text>
  );
}

export interface RowListProps<Row> extends Pick<ListProps<Row>, 'label' | 'columns' | 'keyOf' | 'actions' | 'choice'> {
  readonly rows: readonly Row[];
}

/** Rows that are known already. */
export function RowList<Row>(props: RowListProps<Row>) {
  const isNarrow = useIsNarrow();
  return isNarrow ? <Cards {...props} /> : <Rows {...props} />;
}

function Rows<Row>({ label, rows, columns, keyOf, actions, choice }: RowListProps<Row>) {
  const t = useTexts(texts);
  return (
    <Table striped highlightOnHover aria-label={label} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          {choice !== undefined && (
            <Table.Th>
              <ChooseAll rows={rows} keyOf={keyOf} choice={choice} />
            </Table.Th>
          )}
          {columns.map(({ title }) => (
            <Table.Th key={title} scope="col">
              {title}
            </Table.Th>
          ))}
          {actions !== undefined && <Table.Th scope="col">{t.actions}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {choice !== undefined && (
              <Table.Td>
                <Choose row={row} keyOf={keyOf} choice={choice} />
              </Table.Td>
            )}
            {columns.map(({ title, render }) => (
              <Table.Td key={title}>{render(row)}</Table.Td>
            ))}
            {actions !== undefined && (
              <Table.Td>
                <Group gap="xs">{actions(row)}</Group>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface ChooseProps<Row> {
  readonly choice: Choice<Row>;
  keyOf(row: Row): string;
}

function Choose<Row>({ row, keyOf, choice }: ChooseProps<Row> & { readonly row: Row }) {
  const t = useTexts(texts);
  if (!choice.mayChoose(row)) return null;
  const key = keyOf(row);
  const others = [...choice.chosen].filter((each) => each !== key);
  return (
    <Checkbox
      aria-label={t.choose(choice.nameOf(row))}
      checked={choice.chosen.has(key)}
      onChange={({ currentTarget }) => choice.choose(new Set(currentTarget.checked ? [...others, key] : others))}
    />
  );
}

function ChooseAll<Row>({ rows, keyOf, choice }: ChooseProps<Row> & { readonly rows: readonly Row[] }) {
  const t = useTexts(texts);
  const keys = rows.filter(choice.mayChoose).map(keyOf);
  const chosen = keys.filter((key) => choice.chosen.has(key));
  if (keys.length === 0) return null;
  return (
    <Checkbox
      aria-label={t.chooseAll}
      checked={chosen.length === keys.length}
      indeterminate={chosen.length > 0 && chosen.length < keys.length}
      onChange={({ currentTarget }) => choice.choose(new Set(currentTarget.checked ? keys : []))}
    />
  );
}

function Cards<Row>({ label, rows, columns, keyOf, actions, choice }: RowListProps<Row>) {
  return (
    <Stack gap="sm" role="list" aria-label={label}>
      {rows.map((row) => (
        <Card key={keyOf(row)} withBorder padding="sm" role="listitem">
          <Stack gap={6}>
            {choice !== undefined && <Choose row={row} keyOf={keyOf} choice={choice} />}
            {columns.map(({ title, render }) => {
              const value = render(row);
              if (value === null) return null;
              return (
                <Group key={title} gap="sm" wrap="nowrap" align="flex-start" justify="space-between">
                  <Text size="xs" c="dimmed" flex="0 0 auto">
                    {title}
                  </Text>
                  <Text size="sm" component="div" ta="right" miw={0} style={{ overflowWrap: 'anywhere' }}>
                    {value}
                  </Text>
                </Group>
              );
            })}
            {actions !== undefined && <Group gap="xs">{actions(row)}</Group>}
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}
