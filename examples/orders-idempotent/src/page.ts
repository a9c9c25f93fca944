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
    const location = response.headers.get('location');
    if (location !== null) formKey.reset(); // placed, now (201) or by an earlier try (409)
    const { data, message } = await (location === null ? response : await fetch(location)).json();
    status.textContent = data === undefined ? message : `${response.status}: order ${data.id} is placed, ${data.item}.`;
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
