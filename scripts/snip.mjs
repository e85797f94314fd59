// snip.mjs IN OUT PATTERN…: empties each function of a WebAssembly module whose name matches one of the patterns. For what is never called but
// pointed to, so that no compiler can know; called after all, it would end the page with "unreachable". Functions with the same body share one
// name, so a pattern must not match what something else may be like, and a short body is left alone: many are like it. Reads the module's own names.
import { readFileSync, writeFileSync } from "node:fs";

const [CUSTOM, IMPORTS, BODIES] = [0, 2, 10];
const FUNCTION_NAMES = 1;
const SHORT = 128;
// Four bytes: no locals, unreachable, end.
const EMPTY = Buffer.from([0x03, 0x00, 0x00, 0x0b]);

const [from, to, ...given] = process.argv.slice(2);
const patterns = given.map((pattern) => new RegExp(pattern));
const module = readFileSync(from);

/** Reads on from a place in the module. */
class Reader {
  constructor(at) {
    this.at = at;
  }
  byte() {
    return module[this.at++];
  }
  number() {
    for (let value = 0, unit = 1; ; unit *= 0x80) {
      const next = this.byte();
      value += (next & 0x7f) * unit;
      if (next < 0x80) return value;
    }
  }
  /** What the next so many bytes are. */
  take(length) {
    this.at += length;
    return module.subarray(this.at - length, this.at);
  }
  text() {
    return this.take(this.number()).toString();
  }
  /** Calls back as often as the number says that stands here. */
  each(read) {
    for (let left = this.number(); left > 0; left--) read();
  }
  limits() {
    const hasMost = this.byte() & 1;
    this.number();
    if (hasMost) this.number();
  }
}

function written(number) {
  const bytes = [];
  for (; number >= 0x80; number = Math.floor(number / 0x80)) bytes.push((number % 0x80) | 0x80);
  return Buffer.from([...bytes, number]);
}

function* sections() {
  for (const read = new Reader(8); read.at < module.length; ) {
    const id = read.byte();
    const length = read.number();
    yield { id, begin: read.at, end: read.at + length };
    read.take(length);
  }
}

/** How many functions come from outside: they are numbered first. */
function imported() {
  let functions = 0;
  for (const { id, begin } of sections()) {
    if (id !== IMPORTS) continue;
    const read = new Reader(begin);
    const skip = [() => read.number(), () => (read.byte(), read.limits()), () => read.limits(), () => read.take(2), () => (read.byte(), read.number())];
    read.each(() => {
      read.text();
      read.text();
      const kind = read.byte();
      skip[kind]();
      if (kind === 0) functions++;
    });
  }
  return functions;
}

/** The numbers of the functions that are meant, and by which pattern. */
function meant() {
  const found = new Map();
  for (const { id, begin, end } of sections()) {
    const read = new Reader(begin);
    if (id !== CUSTOM || read.text() !== "name") continue;
    while (read.at < end) {
      const part = read.byte();
      const next = read.number() + read.at;
      if (part === FUNCTION_NAMES)
        read.each(() => {
          const index = read.number();
          const name = read.text();
          for (const pattern of patterns.filter((pattern) => pattern.test(name))) found.set(index, pattern);
        });
      read.at = next;
    }
  }
  return found;
}

const names = meant();
const emptied = new Set();
const out = [module.subarray(0, 8)];
let [index, bytes] = [imported(), 0];
for (const { id, begin, end } of sections()) {
  let content = module.subarray(begin, end);
  if (id === BODIES) {
    const read = new Reader(begin);
    const bodies = [];
    read.each(() => {
      const start = read.at;
      read.take(read.number());
      const body = module.subarray(start, read.at);
      const isMeant = names.has(index) && body.length > SHORT;
      if (isMeant) {
        emptied.add(index);
        bytes += body.length;
      }
      bodies.push(isMeant ? EMPTY : body);
      index++;
    });
    content = Buffer.concat([written(bodies.length), ...bodies]);
  }
  out.push(Buffer.from([id]), written(content.length), content);
}
const idle = patterns.filter((pattern) => ![...emptied].some((index) => names.get(index) === pattern));
if (idle.length > 0) {
  console.error(`snip: no function of ${from} was to be emptied for ${idle.join(" or ")}`);
  process.exit(1);
}
writeFileSync(to, Buffer.concat(out));
console.log(`${emptied.size} functions of ${bytes} bytes that nothing calls are empty now`);
