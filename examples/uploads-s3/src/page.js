/** What a user can do about a refusal. The message of the server is shown for every other reason. */
const advice = {
  TOO_LARGE: 'Choose a file of at most 1 MB.',
  EXTENSION_NOT_ALLOWED: 'Choose a JPG, PNG, PDF, TXT or DOCX file.',
  HEADER_MISMATCH: 'The file is not what its name says. Save it again in this format.',
  OFFICE_MACROS: 'Save the document without macros.',
  OFFICE_ENCRYPTED: 'Save the document without a password.',
};

const form = document.querySelector('form');
const status = document.querySelector('[role=status]');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const response = await fetch('/files', { method: 'POST', body: new FormData(form) });
  const { data, reason, message } = await response.json();
  if (response.ok) {
    const link = Object.assign(document.createElement('a'), { href: `/files/${data.id}`, textContent: data.fileName });
    status.replaceChildren('Stored: ', link, `, ${data.size} bytes, ${data.mediaType}`);
  } else status.textContent = reason === undefined ? message : `${reason}: ${advice[reason] ?? message}`;
});
