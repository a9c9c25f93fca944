import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Refusal } from '../feedback/refusal.js';
import { useTexts } from '../language/language.js';
import type { ProofReason } from '../service/proof-gate.js';
import { useConnection } from '../service/service.js';
import { useFactors } from './factors.js';
import { ProofForm } from './proof-form.js';
import { texts } from './texts.js';

/** Between the dialogs of the page (200) and the sign-in of an ended session (350). */
const LAYER = 340;

const ALL = ['totp', 'passkey', 'recovery-code'];

/** Asks for a proof over the page as it is. The requests that wait for it go on. */
export default function StepUp({ reason }: { readonly reason: ProofReason }) {
  const t = useTexts(texts);
  const { proofs } = useConnection();
  // A session without its factor reads nothing, and has one.
  const isRead = reason === 'STEP_UP_REQUIRED';
  const { data, error, refetch } = useFactors(isRead);
  const own = data?.data.map(({ kind }) => kind);
  const kinds = own === undefined || !isRead ? ALL : own.length === 0 ? ['password'] : own;
  const cancel = () => proofs.end(false);
  return (
    <Modal
      opened
      zIndex={LAYER}
      onClose={cancel}
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t.cancel }}
      title={t.stepUp}
    >
      <Stack>
        <Text size="sm">{t.reasons[reason]}</Text>
        <Refusal error={error} onRetry={() => void refetch()} />
        {(own !== undefined || !isRead) && <ProofForm kinds={kinds} onProven={() => proofs.end(true)} />}
        <Group justify="flex-end">
          <Button variant="subtle" size="xs" onClick={cancel}>
            {t.cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
