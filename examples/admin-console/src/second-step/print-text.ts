/** Prints lines alone, without the page around them. */
export function printText(title: string, lines: readonly string[]): void {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.body.append(frame);
  const page = frame.contentDocument;
  if (page === null || frame.contentWindow === null) return;
  const heading = page.createElement('h1');
  heading.textContent = `${title} · ${location.host}`;
  const list = page.createElement('pre');
  list.textContent = lines.join('\n');
  page.body.append(heading, list);
  frame.contentWindow.addEventListener('afterprint', () => frame.remove());
  frame.contentWindow.print();
}
