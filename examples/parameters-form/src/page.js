for (const form of document.forms) {
  const input = form.elements.namedItem('value');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const value = { checkbox: input.checked, number: input.valueAsNumber }[input.type] ?? input.value;
    const url = `/admin/system-parameters/${form.dataset.key}`;
    const body = JSON.stringify({ value, version: Number(form.dataset.version) });
    // Nobody signs in here: the address says who you are.
    const user = new URLSearchParams(location.search).get('user') ?? 'somebody';
    const headers = { 'content-type': 'application/json', 'x-user': user };
    const response = await fetch(url, { method: 'PUT', headers, body });
    const { data, code, message } = await response.json();
    const say = (text) => form.querySelector('output').replaceChildren(text);
    if (response.ok) {
      form.dataset.version = data.version;
      say('Saved.');
    } else if (code === 'PARAMETER_VERSION_CONFLICT') {
      const { data: current } = await (await fetch(url)).json();
      form.dataset.version = current.version;
      say(`${current.updatedBy} set this to ${current.value} meanwhile. Save again to replace it.`);
    } else say(message);
  });
}
