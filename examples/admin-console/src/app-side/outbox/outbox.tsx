import { Button, Card, Collapse, Group, ScrollArea, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useIsNarrow } from '../../shell/narrow.js';
import { useCodeInputs } from './code-inputs.js';
import { texts } from './texts.js';
import { type Message, useOutbox } from './use-outbox.js';

/** The messages that a phone would get, in development. */
export default function Outbox() {
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
