import { type components, dataOf } from '@sallyport/api-client';
import { useMemo, useState } from 'react';
import { placeInTab } from '../../service/open-attempt.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useProfile } from '../../session/profile.js';

export type NewPayment = components['schemas']['NewPayment'];

export const PAYMENTS_KEY = ['payments'] as const;

/** What became of a payment. */
export interface PaymentOutcome {
  readonly payment: NewPayment;
  /** Whether an earlier attempt had made it, whose answer was lost. */
  readonly isOfEarlierAttempt: boolean;
}

/** A payment that is sent until it has an answer, over reloads of the page, and is made once. */
export function usePaymentAttempt(onDone: (outcome: PaymentOutcome) => void) {
  const api = useApi();
  const { id } = useProfile();
  const attempts = useMemo(() => placeInTab(`sallyport.open-payment.${id}`), [id]);
  // Rendered again after the user forgets an attempt.
  const [, render] = useState(0);
  const write = useWrite(
    async (body: NewPayment, header) => dataOf(await api.POST('/admin/payments', { params: { header }, body })).data,
    { changes: [PAYMENTS_KEY], attempts },
  );
  return {
    error: write.error,
    isPending: write.isPending,
    /** What was sent last. */
    sent: write.variables,
    /** The payment of an attempt without an answer. */
    open: write.isPending ? null : paymentOf(attempts.read()?.content),
    pay(payment: NewPayment) {
      write.mutate(payment, { onSuccess: (made) => onDone({ payment, isOfEarlierAttempt: made === null }) });
    },
    reset: write.reset,
    forget() {
      attempts.write(null);
      render((count) => count + 1);
    },
  };
}

/** Reads what a page of this tab kept. */
function paymentOf(content: string | undefined): NewPayment | null {
  if (content === undefined) return null;
  const kept: unknown = JSON.parse(content);
  const isPayment = typeof kept === 'object' && kept !== null && 'payee' in kept && 'amount' in kept;
  if (!isPayment || typeof kept.payee !== 'string' || typeof kept.amount !== 'string') return null;
  return { payee: kept.payee, amount: kept.amount };
}
