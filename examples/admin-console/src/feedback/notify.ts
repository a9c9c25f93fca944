import { notifications } from '@mantine/notifications';

/** Tells that a write has succeeded. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true });
}
