import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { kernel } from '@sallyport/envelope-crypto/client/kernel';

const form = document.querySelector('form') as HTMLFormElement;
const status = document.querySelector('[role=status]') as HTMLElement;
const wire = document.querySelector('#wire') as HTMLElement;
const seen = document.querySelector('#seen') as HTMLElement;

const client = createEnvelopeClient({ baseUrl: location.origin, kernel, fetch: showingFetch });

/** Sends what the client has sealed, and shows both directions as they travel. */
async function showingFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const { pathname, search } = new URL(String(input));
  wire.textContent += `${init?.method ?? 'GET'} ${pathname}${search}\n${init?.body ?? ''}\n\n`;
  wire.textContent += `${response.status}\n${await response.clone().text()}\n\n`;
  return response;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  wire.textContent = seen.textContent = '';
  const text = new FormData(form).get('text');
  try {
    const response = await client.fetch('/messages?from=ada', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    seen.textContent = JSON.stringify(await response.json(), null, 2);
    status.textContent = `sealed and opened by: ${client.backend()?.name}`;
  } catch (error) {
    status.textContent = String(error);
  }
});
