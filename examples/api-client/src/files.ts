/**
 * Makes the form of an upload: give it to an operation as `bodySerializer`. A `File` brings its own name; the service
 * refuses a file without a known extension.
 */
export function asForm(fields: Readonly<Record<string, string | Blob | undefined>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  return form;
}

/** Sends a file as the whole body: the members of an operation's options that do so. */
export function asContent(file: Blob) {
  return {
    body: file,
    bodySerializer: () => file,
    headers: { 'Content-Type': file.type || 'application/octet-stream' },
  };
}
