import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { isAmount } from './amount.js';
import type { NewPayment, usePaymentAttempt } from './payment-attempt.js';
import { texts } from './texts.js';

export interface PaymentFormProps {
  readonly attempt: ReturnType<typeof usePaymentAttempt>;
  onCancel(): void;
}

const EMPTY: NewPayment = { payee: '', amount: '' };

/** Makes a payment. It opens with the payment that has no answer, if there is one. */
export function PaymentForm({ attempt, onCancel }: PaymentFormProps) {
  const t = useTexts(texts);
  const [draft, setDraft] = useState<NewPayment>(attempt.open ?? ((attempt.isPending && attempt.sent) || EMPTY));
  const [refusedAmount, refuseAmount] = useState<string | null>(null);
  const faults = useFieldFaults(attempt.error, { payee: t.payee, amount: t.amount });
  // A fault belongs to the text that was sent.
  const payeeFault = draft.payee === attempt.sent?.payee ? faults.payee : undefined;
  const amountFault = draft.amount === attempt.sent?.amount ? faults.amount : undefined;

  function submit() {
    const payment = { payee: draft.payee, amount: draft.amount.trim() };
    setDraft(payment);
    if (isAmount(payment.amount)) attempt.pay(payment);
    else refuseAmount(payment.amount);
  }

  return (
    <DialogForm submit={t.pay} isPending={attempt.isPending} onSubmit={submit} onCancel={onCancel}>
      <OpenPayment attempt={attempt} draft={draft} onResume={setDraft} />
      <TextInput
        label={t.payee}
        required
        maxLength={128}
        autoComplete="off"
        data-autofocus
        value={draft.payee}
        error={payeeFault}
        onChange={({ currentTarget }) => setDraft({ ...draft, payee: currentTarget.value })}
      />
      <TextInput
        label={t.amount}
        description={t.amountHint}
        required
        inputMode="decimal"
        autoComplete="off"
        value={draft.amount}
        error={draft.amount === refusedAmount ? t.amountWrong : amountFault}
        onChange={({ currentTarget }) => setDraft({ ...draft, amount: currentTarget.value })}
      />
      <Refusal error={attempt.error} fields={['payee', 'amount']} />
    </DialogForm>
  );
}

interface OpenPaymentProps extends Pick<PaymentFormProps, 'attempt'> {
  readonly draft: NewPayment;
  onResume(payment: NewPayment): void;
}

/** Shows the payment that may have been made, and what to do. */
function OpenPayment({ attempt, draft, onResume }: OpenPaymentProps) {
  const t = useTexts(texts);
  const { decimal } = useFormats();
  const { open, forget } = attempt;
  if (open === null) return null;
  const isOther = open.payee !== draft.payee || open.amount !== draft.amount;
  return (
    <Alert variant="default" title={t.open} role="status">
      <Stack gap="xs">
        <Text size="sm">{t.openText(decimal(open.amount), open.payee)}</Text>
        {isOther && <Text size="sm">{t.openOther}</Text>}
        <Group gap="xs">
          {isOther && (
            <Button size="compact-sm" variant="default" onClick={() => onResume(open)}>
              {t.resume}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={forget}>
            {t.forget}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
