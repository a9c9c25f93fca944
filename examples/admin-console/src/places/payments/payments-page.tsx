import { Alert, Button, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../feedback/dialog.js';
import { notifyDone } from '../../feedback/notify.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { MomentInput, momentOf } from '../../lists/moment-input.js';
import { useApi } from '../../service/service.js';
import { useAdministratorName } from '../../session/administrator-name.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { PAYMENTS_KEY, type PaymentOutcome, usePaymentAttempt } from './payment-attempt.js';
import { PaymentForm } from './payment-form.js';
import { texts } from './texts.js';

/** The payments, and a form that pays exactly once. */
export default function PaymentsPage() {
  const t = useTexts(texts);
  const { decimal } = useFormats();
  const may = useMay();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [outcome, setOutcome] = useState<PaymentOutcome | null>(null);
  const mayPay = may('api:admin:payments:create');

  const attempt = usePaymentAttempt((done) => {
    const { amount, payee } = done.payment;
    setOutcome(done.isOfEarlierAttempt ? done : null);
    if (!done.isOfEarlierAttempt) notifyDone(t.paid(decimal(amount), payee));
    close();
  });

  function openForm() {
    // One that is on its way stays in the form.
    if (!attempt.isPending) attempt.reset();
    setOutcome(null);
    open();
  }

  const { open: waiting } = attempt;
  return (
    <Page
      title={t.title}
      purpose={mayPay ? t.purpose : t.listPurpose}
      actions={mayPay && <Button onClick={openForm}>{t.newPayment}</Button>}
    >
      {outcome !== null && (
        <Alert
          color="teal"
          variant="default"
          title={t.paidBefore}
          role="status"
          withCloseButton
          closeButtonLabel={t.close}
          onClose={() => setOutcome(null)}
        >
          <Text size="sm">{t.paidBeforeText(decimal(outcome.payment.amount), outcome.payment.payee)}</Text>
        </Alert>
      )}
      {mayPay && waiting !== null && !isOpen && (
        <Alert variant="default" title={t.open} role="status">
          <Text size="sm" mb="xs">
            {t.openText(decimal(waiting.amount), waiting.payee)}
          </Text>
          <Button size="compact-sm" variant="default" onClick={openForm}>
            {t.resume}
          </Button>
        </Alert>
      )}
      {may('api:admin:payments:list') && <Payments />}
      <Dialog opened={isOpen} title={t.newPayment} onClose={close}>
        <PaymentForm attempt={attempt} onCancel={close} />
      </Dialog>
    </Page>
  );
}

function Payments() {
  const t = useTexts(texts);
  const { dateTime, decimal } = useFormats();
  const api = useApi();
  const mayPay = useMay()('api:admin:payments:create');
  const filters = useFilters(['payee', 'from', 'to']);
  const { payee } = filters.values;
  const from = momentOf(filters.values.from);
  const to = momentOf(filters.values.to);
  const { after } = filters;
  const query = useQuery({
    queryKey: [...PAYMENTS_KEY, payee, from, to, after],
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/payments', { params: { query: given({ payee, from, to, after }) }, signal })),
  });
  return (
    <>
      <FilterBar filters={filters}>
        <TextInput name="payee" label={t.payee} placeholder={t.beginsWith} maxLength={128} defaultValue={payee ?? ''} />
        <MomentInput name="from" label={t.from} defaultValue={filters.values.from} />
        <MomentInput name="to" label={t.to} defaultValue={filters.values.to} />
      </FilterBar>
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        cursor={filters}
        empty={Object.keys(filters.values).length > 0 ? t.empty : mayPay ? t.noneYet : t.noneYetToRead}
        columns={[
          { title: t.payee, render: (payment) => payment.payee },
          { title: t.amount, render: ({ amount }) => decimal(amount) },
          { title: t.createdBy, render: ({ createdBy }) => <Maker id={createdBy} /> },
          { title: t.createdAt, render: ({ createdAt }) => dateTime(createdAt) },
        ]}
      />
    </>
  );
}

/** Who made a payment. */
function Maker({ id }: { readonly id: string }) {
  const t = useTexts(texts);
  return useAdministratorName(id, t.you);
}
