// `node in-turn.mjs RUNS`, with `[{ "command": URL, "words": [] }, …]` as JSON: runs built commands in one
// process, one after the other, since loading their modules takes longer than to read a command line. Prints what each
// has printed, and its exit status: `[{ "status": 2, "out": "", "err": "…" }, …]`.
const { argv, exit } = process;
const print = process.stdout.write.bind(process.stdout);
const ended = [];

for (const [index, { command, words }] of JSON.parse(argv[2]).entries()) {
  const run = { status: 0, out: '', err: '' };
  const keep = (name) => (text, done) => {
    run[name] += text;
    done?.();
    return true;
  };
  process.stdout.write = keep('out');
  process.stderr.write = keep('err');
  process.exit = (status = process.exitCode) => {
    process.exitCode = status;
  };
  process.exitCode = 0;
  process.argv = [...argv.slice(0, 1), command, ...words];
  // Only the command itself is evaluated again.
  await import(`${command}?${index}`);
  ended.push({ ...run, status: process.exitCode });
}
print(JSON.stringify(ended), () => exit(0));
