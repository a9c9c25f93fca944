import { Button, Card, Collapse, Group, ScrollArea, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type components, dataOf, RefusedError } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useIsNarrow } from '../../shell/narrow.js';
import { useCodeInputs } from './code-inputs.js';
import { texts } from './texts.js';

type Message = components['schemas']['OutboxMessage'];

/** How often the outbox is read while the page is visible, in milliseconds. */
const POLL_MILLIS = 2000;

const MAX_MESSAGES = 20;

/** Null: this service has no outbox, as in production. */
function useOutbox() {
  const api = useApi();
  return useQuery({
    queryKey: ['sms-outbox'],
    async queryFn({ signal }): Promise<readonly Message[] | null> {
      const answer = await api.GET('/dev/sms-outbox', { params: { query: { size: MAX_MESSAGES } }, signal });
      if (answer.response.status === 404) return null;
      return dataOf(answer).data;
    },
    refetchInterval: ({ state: { data, error } }) => {
      const isOver = data === null || (error instanceof RefusedError && error.problem.status === 401);
      return isOver ? false : POLL_MILLIS;
    },
    retry: false,
  });
}

/** The messages that a phone would get, in development. */
export function Outbox() {
  const t = useTexts(texts);
  const query = useOutbox();
  const isNarrow = useIsNarrow();
  const [isOpen, { toggle }] = useDisclosure(false);
  const messages = query.data;
  if (messages === undefined || messages === null) return null;

  const list = (
    <Stack gap="xs">
      {query.error !== null && (
        <Text size="sm" role="status">
          {t.away}
        </Text>
      )}
      {messages.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.empty}
        </Text>
      )}
      {messages.length > 0 && (
        <Stack gap="xs" role="list" aria-label={t.title}>
          {messages.map((message) => (
            <ReceivedMessage key={message.id} message={message} />
          ))}
        </Stack>
      )}
    </Stack>
  );
  return (
    <Card component="aside" aria-label={t.title} withBorder padding="sm" w={{ base: '100%', sm: 300 }} mah="100%">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="sm">
          {t.title}
        </Title>
        {isNarrow && (
          <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? t.hide : t.show(messages.length)}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen || !isNarrow}>
        <Text size="xs" c="dimmed" mb="xs">
          {t.purpose}
        </Text>
        <ScrollArea.Autosize mah={isNarrow ? '30dvh' : 'calc(100dvh - 160px)'} viewportProps={{ tabIndex: 0 }}>
          {list}
        </ScrollArea.Autosize>
      </Collapse>
    </Card>
  );
}

function ReceivedMessage({ message }: { readonly message: Message }) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const { isPresent, fill } = useCodeInputs();
  const { mobile, text, code, sentAt } = message;
  return (
    <Card role="listitem" padding="xs" radius="md" bg="var(--mantine-color-default-hover)">
      <Group justify="space-between" gap="xs">
        <Text size="xs" fw={600}>
          {mobile}
        </Text>
        <Text size="xs" c="dimmed">
          {dateTime(sentAt)}
        </Text>
      </Group>
      <Text size="sm">{text}</Text>
      <Button
        size="compact-sm"
        mt={6}
        variant="default"
        aria-label={t.use(code)}
        disabled={!isPresent}
        onClick={() => fill(code)}
      >
        {code}
      </Button>
    </Card>
  );
}
