import { createFormKey } from '@sallyport/idempotency/client';

const form = document.querySelector('form') as HTMLFormElement;
const status = document.querySelector('[role=status]') as HTMLElement;
const list = document.querySelector('ol') as HTMLElement;
const formKey = createFormKey();

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const content = { item: fields.get('item') };
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // The same key for the same content, until reset().
    'idempotency-key': formKey.keyFor(content),
  };
  if (fields.has('loseReply')) headers['x-lose-reply'] = 'yes';

  try {
    const response = await fetch('/orders', { method: 'POST', headers, body: JSON.stringify(content) });
    const { data, code, message } = await response.json();
    if (response.ok || code === 'IDEMPOTENCY_SUBMITTED') formKey.reset();
    status.textContent = response.ok ? `Order ${data.id} was placed.` : `${code}: ${message}`;
  } catch {
    status.textContent = 'No reply. Was the order placed? Press the button again: the retry has the same key.';
  }
  await showOrders();
});

async function showOrders(): Promise<void> {
  const { data } = (await (await fetch('/orders')).json()) as { data: { id: number; item: string }[] };
  list.replaceChildren(
    ...data.map(({ id, item }) => Object.assign(document.createElement('li'), { value: id, textContent: item })),
  );
}

await showOrders();
