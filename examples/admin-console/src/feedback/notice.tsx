import { Paper, Text } from '@mantine/core';

export interface NoticeProps {
  readonly color: 'teal' | 'yellow';
  readonly text: string;
}

/** What the user should know before going on. Lighter than an `Alert`, for the first script of a page. */
export function Notice({ color, text }: NoticeProps) {
  return (
    <Paper p="sm" role="status" bg={`var(--mantine-color-${color}-light)`}>
      <Text size="sm">{text}</Text>
    </Paper>
  );
}
