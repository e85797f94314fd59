// Weighs the first view, as brotli sends it, and fails when it has grown by more than 3 % over bundle-size.json.
// `bundle-size.mjs --record` writes that file: growth on purpose is seen in review. What it should weigh is said each time.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";

const site = "target/site";
const record = "bundle-size.json";
const target = 300 * 1024;
const growth = 1.03;

const brotli = Object.fromEntries(
  ["app_bg.wasm", "app.js", "main.css"].map((name) => [name, statSync(`${site}/${name}.br`).size]),
);
const total = Object.values(brotli).reduce((sum, bytes) => sum + bytes, 0);
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
const parts = Object.entries(brotli).map(([name, bytes]) => `${name} ${kb(bytes)}`);
console.log(`first view ${kb(total)} in brotli: ${parts.join(", ")}`);

const fail = (why) => {
  console.error(`bundle-size: ${why}`);
  process.exit(1);
};

if (total > target) console.warn(`bundle-size: ${kb(total - target)} over the ${kb(target)} that a first view should weigh`);
if (process.argv[2] === "--record") {
  writeFileSync(record, `${JSON.stringify({ brotli, total }, null, 2)}\n`);
} else {
  if (!existsSync(record)) fail(`there is no ${record}: write it with 'make bundle-record'`);
  const before = JSON.parse(readFileSync(record, "utf8")).total;
  if (total > before * growth)
    fail(`${kb(total)} is more than 3 % over the recorded ${kb(before)}: make it smaller, or accept it with 'make bundle-record'`);
}
